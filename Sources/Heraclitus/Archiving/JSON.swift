/// Migrations, user infos and journals are written with `JSONValue`, so whoever imports the machine has it, too.
@_exported public import HeraclitusJSON
