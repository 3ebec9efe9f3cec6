internal import CPlatform

extension ScanRequest {
  /// One thread a processor, but no more than eight: beyond, they only disturb the machine.
  public static var defaultJobs: Int {
    min(8, max(1, Int(cplatform_processor_count())))
  }
}
