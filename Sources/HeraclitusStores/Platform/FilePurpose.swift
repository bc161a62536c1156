/// The purpose of opening a file.
enum FilePurpose {
    case reading

    /// Reads a regular file of a folder.
    ///
    /// Opening fails for a symbolic link, and returns at once for a pipe.
    case readingInFolder

    /// Writes a new file.
    case making

    /// Locks a file and keeps a few bytes in it.
    ///
    /// A missing file is made.
    case locking

    /// Reads a file and appends to it.
    ///
    /// A missing file is made.
    case appending

    /// Syncs the names in a folder.
    case folder

    /// Reads bytes from a pipe.
    case readingPipe

    /// Writes into a pipe.
    ///
    /// Opening fails if the pipe has no reader.
    case writingPipe
}
