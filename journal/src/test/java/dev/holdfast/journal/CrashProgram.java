package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.file.Uninterruptibly;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A random program on a journal, and the model of the records that must exist after a power cut.
 * Continues over several incarnations: after each cut the model adopts the recovered records.
 */
final class CrashProgram {

  private static final int PAYLOAD_BYTES_MIN = 16;

  private final JournalOptions options;
  private final SplittableRandom random;
  private int incarnation;
  private volatile boolean needsNothing;

  // The state of the model. Appenders of several threads write to it.
  private final Map<Long, Long> payloadIds = new ConcurrentHashMap<>();
  private final Set<Long> attempted = ConcurrentHashMap.newKeySet();
  private final AtomicLong nextPayloadId = new AtomicLong(1);
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong needed = new AtomicLong(1);

  CrashProgram(JournalOptions options, long seed) {
    this.options = options;
    this.random = new SplittableRandom(seed);
  }

  /** Opens, checks what is recovered, appends, closes; ends early when the power is cut. */
  void run(Path directory, Disk disk, int appendsPerThread, int threadCount) {
    incarnation++;
    try (FileJournal journal =
        FileJournal.open(directory, new VirtualClock(), options.withDisk(disk))) {
      adopt(journal);
      journal.start(List.of(new View()));
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < threadCount; i++) {
        SplittableRandom own = random.split();
        Runnable appends = () -> append(journal, own, appendsPerThread);
        threads.add(
            i % 2 == 0 ? Thread.startVirtualThread(appends) : Thread.ofPlatform().start(appends));
      }
      for (Thread thread : threads) {
        Uninterruptibly.join(thread);
      }
    } catch (JournalFailedException | DataDirectoryException e) {
      assertThat(e.getCause()).isInstanceOf(IOException.class);
    }
  }

  private void append(FileJournal journal, SplittableRandom own, int count) {
    try {
      for (int i = 0; i < count; i++) {
        ByteBuffer payload = payload(own);
        long id = payload.getLong(0);
        attempted.add(id);
        long position = journal.append(Journals.BATCH, 1, Journals.KEY, ChainLink.FIRST, payload);
        payloadIds.put(position, id);
        if (own.nextInt(3) != 0) {
          journal.awaitDurable(position);
          acknowledged.accumulateAndGet(position, Math::max);
        }
        if (own.nextInt(4) == 0 && !needsNothing) {
          long mark = acknowledged.get() + 1 - own.nextInt(3);
          needed.accumulateAndGet(mark, Math::max);
        }
      }
    } catch (HoldfastException e) {
      assertThat(e).isInstanceOfAny(JournalFailedException.class, DataDirectoryException.class);
    }
  }

  private ByteBuffer payload(SplittableRandom own) {
    int length =
        switch (own.nextInt(8)) {
          case 0 -> 6000;
          case 1 -> 25_000;
          default -> own.nextInt(PAYLOAD_BYTES_MIN, 700);
        };
    byte[] bytes = new byte[length];
    // The same filler for all, so that old pages of a recycled file look like new ones.
    Arrays.fill(bytes, (byte) 0x5A);
    ByteBuffer payload = ByteBuffer.wrap(bytes);
    payload.putLong(0, nextPayloadId.getAndIncrement());
    payload.putLong(8, incarnation);
    return payload;
  }

  /** Checks the records that a journal recovers, without adopting them. */
  void check(RecoveryLog log, long lastPosition) {
    recover(log, lastPosition);
  }

  /** Adopts the recovered records as durable; all later records are needed again. */
  void adopt(FileJournal journal) {
    Map<Long, Long> recovered = recover(journal.recoveryLog(), journal.lastPosition());
    long first = recovered.keySet().stream().min(Long::compare).orElse(0L);
    payloadIds.keySet().removeIf(position -> position > journal.lastPosition());
    payloadIds.putAll(recovered);
    // Lost permanently: a record that reappears later would be an error.
    attempted.removeIf(id -> !payloadIds.containsValue(id));
    acknowledged.set(journal.lastPosition());
    assertThat(first).isLessThanOrEqualTo(needed.get());
    needed.accumulateAndGet(journal.lastPosition() + 1, Math::min);
    needsNothing = random.nextInt(3) == 0;
    if (needsNothing) {
      needed.set(Long.MAX_VALUE); // as if all were checkpoints, which are never read again
    }
  }

  private Map<Long, Long> recover(RecoveryLog log, long lastPosition) {
    Map<Long, Long> recovered = new TreeMap<>();
    long[] next = {-1};
    log.forEach(
        record -> {
          if (next[0] < 0) {
            assertThat(record.position()).isLessThanOrEqualTo(needed.get());
          } else {
            assertThat(record.position()).isEqualTo(next[0]);
          }
          next[0] = record.position() + 1;
          recovered.put(record.position(), idOf(record));
        });
    assertThat(lastPosition).isGreaterThanOrEqualTo(acknowledged.get());
    if (recovered.isEmpty()) {
      assertThat(lastPosition).isLessThan(needed.get());
    } else {
      assertThat(next[0]).isEqualTo(lastPosition + 1);
    }
    return recovered;
  }

  private long idOf(JournalRecord record) {
    ByteBuffer payload = record.payload();
    long id = payload.getLong(0);
    Long expected = payloadIds.get(record.position());
    if (expected != null) {
      assertThat(id).isEqualTo(expected);
    }
    assertThat(attempted).contains(id);
    for (int i = PAYLOAD_BYTES_MIN; i < payload.limit(); i++) {
      if (payload.get(i) != 0x5A) {
        throw new AssertionError("Byte " + i + " of position " + record.position() + " is wrong");
      }
    }
    return id;
  }

  /** Needs the records that the model states. */
  private final class View implements JournalView {

    @Override
    public int viewId() {
      return 1;
    }

    @Override
    public void recover(RecoveryLog log) {}

    @Override
    public long lowWaterMark() {
      return needed.get();
    }

    @Override
    public void checkpointBefore(long position) {
      if (!needsNothing) {
        needed.accumulateAndGet(Math.min(position, acknowledged.get() + 1), Math::max);
      }
    }
  }
}
