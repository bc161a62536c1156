/// What a file is opened for.
enum FilePurpose {
    case reading

    /// To read a file of a folder: not following a link, and not waiting for a pipe that is named like a file.
    case readingInFolder

    /// To write a file that must not be there yet.
    case making

    /// To lock a file, which is made if it is not there, and to keep a few bytes in it.
    case locking

    /// To read a file and to append to it, which is made if it is not there.
    case appending

    /// To sync the names in a folder.
    case folder

    /// To read what others write into a pipe, as soon as there is something.
    case readingPipe

    /// To write into a pipe that somebody reads; an error if nobody does.
    case writingPipe
}
