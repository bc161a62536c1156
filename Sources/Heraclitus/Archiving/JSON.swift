/// `JSONValue` is exported for writing migrations, user infos and journals.
@_exported public import HeraclitusJSON
