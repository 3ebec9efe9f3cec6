import FileCatalog
try prototypeScan(CommandLine.arguments[1], into: CommandLine.arguments[2])
