public import FileSystem
internal import StandardDirectories
internal import SystemPackage

/// The built-in provider `media`: what films and recordings say of themselves, as the program `ffprobe` of
/// [FFmpeg](https://ffmpeg.org/ffprobe.html) reads it.
///
/// - `duration`: how long it plays, in seconds.
/// - `pixel_width`, `pixel_height`, `video_codec`: of the first pictures that are none of its cover.
/// - `audio_codec`, `sample_rate`, `channels`: of the first sound.
/// - `title`, `artist`, `album`.
///
/// The program gets the file open, and nothing else: no format that names other files is among those that it
/// may read, and no protocol that leads elsewhere. How long it takes and how much it prints is bounded.
public struct MediaDetails: ContentProvider {
  /// `media`.
  public let key = "media"
  /// All films and recordings.
  public let types = ["public.audiovisual-content"]
  /// More than the program may take.
  public let timeLimit: Duration? = .seconds(20)

  /// What there should be.
  public static let requirement = MissingRequirement("ffprobe")

  /// How long the program may take.
  private static let programLimit = Duration.seconds(15)
  private static let longestOutput = 1 << 20
  private static let longestText = 1000

  /// The formats that it may take a file for: none that says where there are others, such as lists of pieces.
  private static let formats = [
    "aac", "ac3", "aiff", "amr", "ape", "asf", "au", "avi", "caf", "dsf", "dts", "dv", "eac3",
    "flac",
    "flv", "gxf", "ivf", "matroska", "mov", "mp3", "mpc", "mpc8", "mpeg", "mpegts", "mpegvideo",
    "mxf",
    "ogg", "rm", "tak", "tta", "w64", "wav", "wv",
  ]

  private static let command = [
    "ffprobe", "-v", "error", "-hide_banner", "-protocol_whitelist", "file", "-format_whitelist",
    formats.joined(separator: ","), "-show_error", "-show_entries",
    "format=duration:format_tags=title,artist,album:stream=codec_type,codec_name,width,height,"
      + "sample_rate,channels:stream_disposition=attached_pic:stream_tags=title,artist,album",
    "-of", "json=compact=1", "file:/dev/fd/3",
  ]

  /// Makes the provider.
  public init() {}

  /// The program has not read the file, and says why.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// What the file says of itself.
  ///
  /// - Throws: ``MissingRequirement`` where there is no `ffprobe`.
  public func values(of file: ContentFile) throws -> [String: ResourceValue] {
    guard file.status.size > 0 else { return [:] }
    var output: [UInt8] = []
    var errors: [UInt8] = []
    // It ends with whoever asks: nobody would end it otherwise.
    let program = ChildProcess(Self.command, files: [file.descriptor], group: .shared)
    let status: Int32
    do {
      status = try program.run(within: Self.programLimit, isCancelled: file.isCancelled) {
        switch $0 {
        case .output: output += $1
        case .errors: if errors.count < Self.longestText { errors += $1 }
        }
        guard output.count <= Self.longestOutput else {
          throw Refusal(description: "ffprobe has more to say of it than fits in 1 MiB")
        }
      }
    } catch ChildProcess.Interruption.late {
      throw Refusal(description: "it took ffprobe too long")
    } catch ChildProcess.Interruption.cancelled {
      throw CancellationError()
    } catch let error as ChildProcess.StartError {
      if error.reason == .noSuchFileOrDirectory { throw Self.requirement }
      throw error.reason
    }
    guard let answer = try? PropertyList(decodingListOrJSON: output) else {
      throw Refusal(description: "ffprobe ended with \(status)")
    }
    if status != 0 || answer["error"] != nil {
      // A format that is none of those that it may read is not wrong.
      if String(decoding: errors, as: UTF8.self).contains("whitelist") { return [:] }
      throw Refusal(
        description: answer["error"]?["string"]?.text ?? "ffprobe ended with \(status)")
    }
    return Self.values(answer)
  }

  private static func values(_ answer: PropertyList) -> [String: ResourceValue] {
    var values: [String: ResourceValue] = [:]
    let streams = answer["streams"]?.array ?? []
    if let duration = answer["format"]?["duration"]?.text.flatMap(Double.init), duration.isFinite,
      duration >= 0
    {
      values["duration"] = .real(duration)
    }
    func set(_ key: String, number: PropertyList?) {
      guard let number = number?.integer, number > 0 else { return }
      values[key] = .integer(Int64(number))
    }
    let pictures = streams.first {
      $0["codec_type"]?.text == "video" && $0["disposition"]?["attached_pic"]?.integer != 1
    }
    set("pixel_width", number: pictures?["width"])
    set("pixel_height", number: pictures?["height"])
    let sound = streams.first { $0["codec_type"]?.text == "audio" }
    set("sample_rate", number: sound?["sample_rate"])
    set("channels", number: sound?["channels"])
    for (key, stream) in [("video_codec", pictures), ("audio_codec", sound)] {
      if let name = stream?["codec_name"]?.text { values[key] = .text(name) }
    }
    // Some formats have them with the file, some with what is in it, and in capitals or not.
    for tags in [answer["format"]?["tags"], sound?["tags"], pictures?["tags"]] {
      guard case .dictionary(let tags) = tags else { continue }
      for (name, tag) in tags {
        let key = name.lowercased()
        guard ["title", "artist", "album"].contains(key), values[key] == nil,
          let text = tag.text?.prefix(longestText), !text.isEmpty
        else { continue }
        values[key] = .text(String(text))
      }
    }
    return values
  }
}
