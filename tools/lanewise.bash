# Installed for bash-completion, which reads it at the first <Tab>.
source <(lanewise --bash-completion)
