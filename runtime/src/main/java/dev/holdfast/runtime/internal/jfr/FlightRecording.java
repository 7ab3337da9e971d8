package dev.holdfast.runtime.internal.jfr;

import jdk.jfr.FlightRecorder;

/**
 * Whether this process has had a recording. Asked before each event: the first event class that is
 * loaded starts the flight recorder's own machinery, which takes longer than the opening of a small
 * data directory, and most processes never record.
 */
public final class FlightRecording {

  private FlightRecording() {}

  /** {@return whether an event may be wanted} Thread-safe, and as cheap as a read of a field. */
  public static boolean isPossible() {
    return FlightRecorder.isInitialized();
  }
}
