package dev.holdfast.log.ratis;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.log.LogPlace;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Keeps the first 16 characters of each entry. */
final class RecordingReplica implements Replica {

  private final Watched watched;
  private final long appliedIndex;

  private record Source(ReplicatedLog log, RecordingReplica other, LongConsumer beforeInstall) {}

  // Guarded by watched.
  private final List<String> texts = new ArrayList<>();
  private long lastIndex;
  private long fetched;
  private @Nullable Source source;
  private boolean leads;
  private boolean fails;
  private @Nullable LogStoppedException stop;

  RecordingReplica(Watched watched, long appliedIndex) {
    this.watched = watched;
    this.appliedIndex = appliedIndex;
    this.lastIndex = appliedIndex;
  }

  @Override
  public OptionalLong appliedIndex() {
    return appliedIndex == 0 ? OptionalLong.empty() : OptionalLong.of(appliedIndex);
  }

  @Override
  public void apply(long index, ByteBuffer entry) {
    ByteBuffer start = entry.slice(entry.position(), Math.min(16, entry.remaining()));
    String text = StandardCharsets.US_ASCII.decode(start).toString().strip();
    watched.change(() -> applied(index, text));
  }

  private void applied(long index, String text) {
    if (fails) {
      throw new DataDirectoryException(Path.of("replica"), "The disk of the test fails", null);
    }
    texts.add(text);
    lastIndex = index;
  }

  @Override
  public void mayLead(boolean yes) {
    watched.change(() -> leads = yes);
  }

  /**
   * Lets the replica take all that another one has.
   *
   * @param beforeInstall is given the last entry before it counts
   */
  void fetchFrom(ReplicatedLog log, RecordingReplica other, LongConsumer beforeInstall) {
    watched.change(() -> source = new Source(log, other, beforeInstall));
  }

  @Override
  public @Nullable Fetched fetch(long atLeastIndex) {
    Source from = watched.read(() -> source);
    if (from == null) {
      return null;
    }
    long index = from.other().lastIndex();
    List<String> all = from.other().texts();
    if (index < atLeastIndex) {
      throw new IllegalStateException("The other replica has " + index + " entries only.");
    }
    long term = from.log().termOf(index).orElseThrow();
    return new Fetched() {
      @Override
      public LogPlace place() {
        return new LogPlace(index, term);
      }

      @Override
      public void install() {
        from.beforeInstall().accept(index);
        watched.change(
            () -> {
              texts.clear();
              texts.addAll(all);
              lastIndex = index;
              fetched = index;
            });
      }
    };
  }

  /** {@return the entry up to which it has fetched; 0 if it has not} */
  long fetched() {
    return watched.read(() -> fetched);
  }

  void failFromNowOn() {
    watched.change(() -> fails = true);
  }

  void stopped(LogStoppedException cause) {
    watched.change(() -> stop = cause);
  }

  @Nullable LogStoppedException stop() {
    return watched.read(() -> stop);
  }

  long lastIndex() {
    return watched.read(() -> lastIndex);
  }

  boolean leads() {
    return watched.read(() -> leads);
  }

  boolean has(String text) {
    return watched.read(() -> texts.contains(text));
  }

  List<String> texts() {
    return watched.read(() -> List.copyOf(texts));
  }
}
