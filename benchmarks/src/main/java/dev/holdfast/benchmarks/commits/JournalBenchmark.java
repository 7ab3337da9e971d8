package dev.holdfast.benchmarks.commits;

import dev.holdfast.ObjectId;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The journal alone, compared with a bare {@link FileChannel} loop over an allocated file with the
 * same writes and syncs. Records of 4 KiB.
 *
 * <p>{@link #oneCaller} and {@link #bareLoop} write groups of the same size, one sync each: an
 * operation is a group. The target is that the journal reaches at least 90 % of the loop. {@link
 * #platformCallers} and {@link #virtualCallers} let the journal form groups: an operation is a
 * record for which its caller has waited.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1) // segments allocated, and recycled from then on
@Measurement(iterations = 8, time = 1) // the device's own pauses are shorter than an iteration
@Fork(2)
@State(Scope.Benchmark)
public class JournalBenchmark {

  private static final int RECORD_BYTES = 4096;
  private static final int VIRTUAL_CALLERS = 1000;
  private static final int RECORDS_EACH = 10;
  private static final ObjectKey KEY =
      new ObjectKey("accounts", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  /** Records in a group of {@link #oneCaller} and {@link #bareLoop}. */
  @Param({"1", "8", "64"})
  public int groupRecords;

  private final byte[] payload = new byte[RECORD_BYTES];
  private @Nullable Fixture fixture;

  /** The fixture of one trial. */
  private record Fixture(
      Path directory, SystemTimeSource time, FileJournal journal, BareFile bare) {}

  /** Creates the benchmark; called by JMH. */
  public JournalBenchmark() {}

  /** Opens a journal that no view holds back, and the file of the loop. */
  @Setup(Level.Trial)
  public void open() throws IOException {
    new SplittableRandom(1).nextBytes(payload);
    Path directory = Files.createTempDirectory("holdfast-benchmark");
    SystemTimeSource time = new SystemTimeSource();
    FileJournal journal =
        FileJournal.open(directory.resolve("journal"), time, JournalOptions.DEFAULT);
    journal.start(List.of());
    // The bytes that the journal writes for a group: its header, and head, namespace and payload of
    // each record.
    int groupBytes = 64 + groupRecords * (56 + 8 + RECORD_BYTES);
    BareFile bare = new BareFile(directory.resolve("bare"), groupBytes);
    fixture = new Fixture(directory, time, journal, bare);
  }

  /** Closes both and deletes the files. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    fixture().journal.close();
    fixture().time.close();
    fixture().bare.close();
    FileTree.delete(new FileDisk(), fixture().directory);
  }

  private Fixture fixture() {
    return Objects.requireNonNull(fixture, "set up by JMH");
  }

  /** {@return the bytes written: a group with a bare file channel, and its sync} */
  @Benchmark
  public int bareLoop() throws IOException {
    return fixture().bare.writeGroup();
  }

  /**
   * {@return the position of the last record of a group that one thread appended and waited for}
   */
  @Benchmark
  public long oneCaller() {
    long position = 0;
    for (int i = 0; i < groupRecords; i++) {
      position = append();
    }
    fixture().journal.awaitDurable(position);
    return position;
  }

  /** {@return the position of a record that one of 64 platform threads appended and waited for} */
  @Benchmark
  @Threads(64)
  public long platformCallers() {
    long position = append();
    fixture().journal.awaitDurable(position);
    return position;
  }

  /**
   * {@return the last position, after a thousand virtual threads have each waited for ten records}
   */
  @Benchmark
  @OperationsPerInvocation(VIRTUAL_CALLERS * RECORDS_EACH)
  public long virtualCallers() throws InterruptedException {
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < VIRTUAL_CALLERS; i++) {
      callers.add(Thread.startVirtualThread(this::writeRecords));
    }
    for (Thread caller : callers) {
      caller.join();
    }
    return fixture().journal.lastPosition();
  }

  private void writeRecords() {
    for (int i = 0; i < RECORDS_EACH; i++) {
      fixture().journal.awaitDurable(append());
    }
  }

  private long append() {
    return fixture()
        .journal
        .append(RecordKind.BATCH, 1, KEY, ChainLink.FIRST, ByteBuffer.wrap(payload));
  }

  /** An allocated file, written repeatedly from start to end. */
  private static final class BareFile {
    private static final int FILE_BYTES = 64 << 20;
    private static final int HEADER_BYTES = 4096;

    private final FileChannel channel;
    private final ByteBuffer group;
    private long offset = HEADER_BYTES;

    BareFile(Path file, int groupBytes) throws IOException {
      channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      ByteBuffer zeros = ByteBuffer.allocate(1 << 20);
      for (long at = 0; at < FILE_BYTES; at += zeros.capacity()) {
        channel.write(zeros.clear(), at);
      }
      channel.force(true);
      byte[] bytes = new byte[groupBytes];
      new SplittableRandom(2).nextBytes(bytes);
      group = ByteBuffer.wrap(bytes);
    }

    int writeGroup() throws IOException {
      if (offset + group.capacity() > FILE_BYTES) {
        offset = HEADER_BYTES;
      }
      int written = channel.write(group.clear(), offset);
      offset += written;
      channel.force(false);
      return written;
    }

    void close() throws IOException {
      channel.close();
    }
  }
}
