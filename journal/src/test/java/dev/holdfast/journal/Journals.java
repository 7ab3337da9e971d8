package dev.holdfast.journal;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.testkit.VirtualClock;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

/** Helpers for tests of the journal. */
public final class Journals {

  static final RecordKind BATCH = RecordKind.BATCH;

  static final ObjectKey KEY = new ObjectKey("accounts", ObjectId.of(new byte[32], null));

  /** Small segments, no random salts. */
  public static final JournalOptions SMALL =
      JournalOptions.DEFAULT.withSegmentBytes(16384).withGatherBytesMax(64 << 10);

  private Journals() {}

  static FileJournal open(Path directory) {
    return open(directory, SMALL);
  }

  static FileJournal open(Path directory, JournalOptions options) {
    return FileJournal.open(directory, new VirtualClock(), options);
  }

  static long append(FileJournal journal, String text) {
    return append(journal, text.getBytes(StandardCharsets.UTF_8));
  }

  static long append(FileJournal journal, byte[] payload) {
    return journal.append(RecordKind.BATCH, 1, KEY, ChainLink.FIRST, ByteBuffer.wrap(payload));
  }

  /** Appends and waits until it is durable. */
  static long write(FileJournal journal, String text) {
    long position = append(journal, text);
    journal.awaitDurable(position);
    return position;
  }

  /**
   * Waits until the journal has finished all reviews of its segments requested so far. They run on
   * a separate thread, which may lag behind the writing threads by any time. What it has been asked
   * for, such as a purge, may request a review when it is done: that comes behind the first wait.
   */
  static void awaitReviews(FileJournal journal) {
    try {
      reviews(journal).submit(() -> {}).get();
      reviews(journal).submit(() -> {}).get();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /** {@return the thread that reviews the segments} */
  static ThreadPoolExecutor reviews(FileJournal journal) {
    try {
      Object checkpoints = field(FileJournal.class, "checkpoints").get(journal);
      return (ThreadPoolExecutor) field(Checkpoints.class, "thread").get(checkpoints);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  static Field field(Class<?> type, String name) throws ReflectiveOperationException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  /** {@return the payloads that a journal recovers, in order; positions are checked to be dense} */
  static List<String> recovered(FileJournal journal) {
    List<String> texts = new ArrayList<>();
    long[] expected = {-1};
    journal
        .recoveryLog()
        .forEach(
            record -> {
              if (expected[0] >= 0 && record.position() != expected[0]) {
                throw new AssertionError(
                    "Position " + record.position() + " where " + expected[0] + " is expected");
              }
              expected[0] = record.position() + 1;
              texts.add(StandardCharsets.UTF_8.decode(record.payload()).toString());
            });
    return texts;
  }

  static List<String> reopened(Path directory) {
    try (FileJournal journal = open(directory)) {
      return recovered(journal);
    }
  }
}
