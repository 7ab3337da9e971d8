package dev.holdfast.runtime.internal.jfr;

import dev.holdfast.spi.statistics.StorageEvents;
import org.jspecify.annotations.Nullable;

/** Hands what the journal and the backends report to the flight recorder. Without state. */
public final class RecordedStorageEvents implements StorageEvents {

  /** Creates the receiver; one serves any number of runtimes. */
  public RecordedStorageEvents() {}

  @Override
  public @Nullable CommitGroup commitGroup() {
    return FlightRecording.isPossible() ? CommitGroupEvent.beginIfOn() : null;
  }

  @Override
  public @Nullable Save save() {
    return FlightRecording.isPossible() ? SaveEvent.beginIfOn() : null;
  }

  @Override
  public @Nullable Statement statement() {
    return FlightRecording.isPossible() ? SlowStatementEvent.beginIfOn() : null;
  }

  @Override
  public @Nullable Recovery recovery() {
    return FlightRecording.isPossible() ? RecoveryEvent.beginIfOn() : null;
  }
}
