// The media and archive types that programs name; the others are in UniformType+WellKnown.swift.

// MARK: - Images

extension UniformType {
  /// `public.image`: an image of any format.
  public static var image: UniformType { .wellKnown("public.image") }

  /// `public.jpeg`: A JPEG image.
  public static var jpeg: UniformType { .wellKnown("public.jpeg") }

  /// `public.tiff`: A TIFF image.
  public static var tiff: UniformType { .wellKnown("public.tiff") }

  /// `com.compuserve.gif`: A GIF image.
  public static var gif: UniformType { .wellKnown("com.compuserve.gif") }

  /// `public.png`: A PNG image.
  public static var png: UniformType { .wellKnown("public.png") }

  /// `com.apple.icns`: an Apple icon image.
  public static var icns: UniformType { .wellKnown("com.apple.icns") }

  /// `com.microsoft.bmp`: A Windows bitmap.
  public static var bmp: UniformType { .wellKnown("com.microsoft.bmp") }

  /// `com.microsoft.ico`: A Windows icon.
  public static var ico: UniformType { .wellKnown("com.microsoft.ico") }

  /// `public.camera-raw-image`: the raw data of a camera, of any vendor.
  public static var rawImage: UniformType { .wellKnown("public.camera-raw-image") }

  /// `com.adobe.raw-image`: A digital negative.
  public static var dng: UniformType { .wellKnown("com.adobe.raw-image") }

  /// `com.ilm.openexr-image`: an OpenEXR image.
  public static var exr: UniformType { .wellKnown("com.ilm.openexr-image") }

  /// `public.svg-image`: A scalable vector graphic.
  public static var svg: UniformType { .wellKnown("public.svg-image") }

  /// `com.apple.live-photo`: A live photo.
  public static var livePhoto: UniformType { .wellKnown("com.apple.live-photo") }

  /// `public.heif`: A HEIF image.
  public static var heif: UniformType { .wellKnown("public.heif") }

  /// `public.heic`: A HEIF image with HEVC compression.
  public static var heic: UniformType { .wellKnown("public.heic") }

  /// `public.heics`: A sequence of such images.
  public static var heics: UniformType { .wellKnown("public.heics") }

  /// `org.webmproject.webp`: A WebP image.
  public static var webP: UniformType { .wellKnown("org.webmproject.webp") }

  /// `public.jpeg-xl`: A JPEG XL image.
  public static var jpegXL: UniformType { .wellKnown("public.jpeg-xl") }

  /// `public.3d-content`: A three-dimensional model of any format.
  public static var threeDContent: UniformType { .wellKnown("public.3d-content") }

  /// `com.pixar.universal-scene-description`: universal Scene Description.
  public static var usd: UniformType { .wellKnown("com.pixar.universal-scene-description") }

  /// `com.pixar.universal-scene-description-mobile`: A scene with its resources in one file.
  public static var usdz: UniformType { .wellKnown("com.pixar.universal-scene-description-mobile") }

  /// `com.apple.reality`: A Reality Composer scene.
  public static var realityFile: UniformType { .wellKnown("com.apple.reality") }

  /// `com.apple.scenekit.scene`: A SceneKit scene.
  public static var sceneKitScene: UniformType { .wellKnown("com.apple.scenekit.scene") }

  /// `com.apple.arobject`: A reference object for augmented reality.
  public static var arReferenceObject: UniformType { .wellKnown("com.apple.arobject") }
}

// MARK: - Sound and pictures in motion

extension UniformType {
  /// `public.audiovisual-content`: sound, pictures in motion or both.
  public static var audiovisualContent: UniformType { .wellKnown("public.audiovisual-content") }

  /// `public.movie`: pictures in motion, with or without sound.
  public static var movie: UniformType { .wellKnown("public.movie") }

  /// `public.video`: pictures in motion without sound.
  public static var video: UniformType { .wellKnown("public.video") }

  /// `public.audio`: sound.
  public static var audio: UniformType { .wellKnown("public.audio") }

  /// `com.apple.quicktime-movie`: A QuickTime movie.
  public static var quickTimeMovie: UniformType { .wellKnown("com.apple.quicktime-movie") }

  /// `public.mpeg`: an MPEG-1 or MPEG-2 movie.
  public static var mpeg: UniformType { .wellKnown("public.mpeg") }

  /// `public.mpeg-2-video`: an MPEG-2 video.
  public static var mpeg2Video: UniformType { .wellKnown("public.mpeg-2-video") }

  /// `public.mpeg-2-transport-stream`: an MPEG-2 transport stream.
  public static var mpeg2TransportStream: UniformType {
    .wellKnown("public.mpeg-2-transport-stream")
  }

  /// `public.mp3`: MP3 audio.
  public static var mp3: UniformType { .wellKnown("public.mp3") }

  /// `public.mpeg-4`: an MPEG-4 movie.
  public static var mpeg4Movie: UniformType { .wellKnown("public.mpeg-4") }

  /// `public.mpeg-4-audio`: MPEG-4 audio.
  public static var mpeg4Audio: UniformType { .wellKnown("public.mpeg-4-audio") }

  /// `com.apple.protected-mpeg-4-audio`: protected MPEG-4 audio.
  public static var appleProtectedMPEG4Audio: UniformType {
    .wellKnown("com.apple.protected-mpeg-4-audio")
  }

  /// `com.apple.protected-mpeg-4-video`: protected MPEG-4 video.
  public static var appleProtectedMPEG4Video: UniformType {
    .wellKnown("com.apple.protected-mpeg-4-video")
  }

  /// `public.avi`: an AVI movie.
  public static var avi: UniformType { .wellKnown("public.avi") }

  /// `public.aiff-audio`: AIFF audio.
  public static var aiff: UniformType { .wellKnown("public.aiff-audio") }

  /// `com.microsoft.waveform-audio`: waveform audio.
  public static var wav: UniformType { .wellKnown("com.microsoft.waveform-audio") }

  /// `public.midi-audio`: MIDI music.
  public static var midi: UniformType { .wellKnown("public.midi-audio") }

  /// `public.playlist`: A playlist of any format.
  public static var playlist: UniformType { .wellKnown("public.playlist") }

  /// `public.m3u-playlist`: an M3U playlist.
  public static var m3uPlaylist: UniformType { .wellKnown("public.m3u-playlist") }

  /// `public.haptics-content`: patterns to feel.
  public static var haptics: UniformType { .wellKnown("public.haptics-content") }

  /// `com.apple.haptics.ahap`: an Apple haptics pattern.
  public static var ahap: UniformType { .wellKnown("com.apple.haptics.ahap") }
}

// MARK: - Archives

extension UniformType {
  /// `public.archive`: an archive or compressed file of any format.
  public static var archive: UniformType { .wellKnown("public.archive") }

  /// `public.disk-image`: an image of a disk.
  public static var diskImage: UniformType { .wellKnown("public.disk-image") }

  /// `org.gnu.gnu-zip-archive`: A gzip file.
  public static var gzip: UniformType { .wellKnown("org.gnu.gnu-zip-archive") }

  /// `public.bzip2-archive`: A bzip2 file.
  public static var bz2: UniformType { .wellKnown("public.bzip2-archive") }

  /// `public.zip-archive`: A ZIP archive.
  public static var zip: UniformType { .wellKnown("public.zip-archive") }

  /// `com.apple.archive`: an Apple archive.
  public static var appleArchive: UniformType { .wellKnown("com.apple.archive") }

  /// `public.tar-archive`: A tar archive.
  public static var tarArchive: UniformType { .wellKnown("public.tar-archive") }
}
