package dev.holdfast.runtime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** A flight recording of one kind of event, without a threshold. */
public final class Recorded implements AutoCloseable {

  private final Recording recording = new Recording();
  private final String name;

  private Recorded(String name) {
    this.name = name;
    recording.enable(name).withoutThreshold();
    recording.start();
  }

  /** Begins a recording of a kind of event. */
  public static Recorded events(String kind) {
    return new Recorded("dev.holdfast." + kind);
  }

  /** Ends the recording. */
  public List<RecordedEvent> all() {
    recording.stop();
    try {
      Path file = Files.createTempFile("holdfast", ".jfr");
      try {
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
            .filter(each -> each.getEventType().getName().equals(name))
            .toList();
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    recording.close();
  }
}
