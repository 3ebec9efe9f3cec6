/// A stream on which a program talks: to a person, or to another program.
///
/// A person gets lines of ``DisplayText``, in which nothing is left that a terminal would obey. There
/// is no way to print a string as it is, so that no name, path or message can be forgotten:
///
/// ```swift
/// try StandardStream.error.print("\(path): cannot be read")
/// ```
///
/// Programs get rows by a ``RowPrinter``, and documents byte for byte.
package enum StandardStream: Int32, Sendable {
  /// Standard output.
  case output = 1
  /// Standard error.
  case error = 2

  /// The device behind the stream.
  package var terminal: Terminal { Terminal(descriptor: rawValue) }

  /// A buffer on its way to the stream.
  var sink: ByteSink { ByteSink(descriptor: rawValue) }

  /// Prints lines for a person.
  package func print(_ lines: DisplayText...) throws(OutputError) {
    try print(lines)
  }

  /// Prints lines for a person.
  package func print(_ lines: [DisplayText]) throws(OutputError) {
    var sink = sink
    for line in lines { try sink.write(line.bytes + [UInt8(ascii: "\n")]) }
    try sink.flush()
  }

  /// Writes a document, which is for a program and may hold anything.
  package func write(document: [UInt8]) throws(OutputError) {
    var sink = sink
    try sink.write(document)
    try sink.flush()
  }

  /// Makes a write to a closed pipe throw ``OutputError/readerGone``.
  ///
  /// Until a process has called this, `SIGPIPE` ends it at the first such write. It changes how
  /// the whole process answers that signal, so a program calls it once when it starts.
  package static func reportClosedPipes() {
    SystemCalls.ignoreBrokenPipeSignal()
  }
}

/// A file, a pipe or a device that is open, for what programs read.
package struct OutputFile: Sendable {
  let descriptor: Int32

  /// An open descriptor, which stays open.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Writes bytes as they are.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
    if let error = ByteSink.writeAll(bytes, to: descriptor) { throw error }
  }
}
