package dev.holdfast.journal.shard;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of the objects of a shard on one node: one file, with every record that it was brought
 * up to. Memory is ahead of it while this node owns the shard.
 */
final class SimulatedObjects implements JournalView {

  private final Disk disk;
  private final Path file;
  private final Journal journal;

  /** The text of each record, from position 1 on. */
  private final List<String> texts;

  private int written;
  private long floor = Long.MAX_VALUE;

  private SimulatedObjects(Disk disk, Path file, Journal journal, List<String> texts) {
    this.disk = disk;
    this.file = file;
    this.journal = journal;
    this.texts = texts;
    this.written = texts.size();
  }

  /** Opens the files on an ownership, and brings them up to its beginning in memory. */
  static SimulatedObjects open(Disk disk, Path shard, ShardJournal journal) {
    Path file = shard.resolve("sqlite/objects");
    SimulatedObjects opened = new SimulatedObjects(disk, file, journal, read(disk, file));
    opened.recover(journal.recoveryLog());
    journal.start(List.of(opened));
    return opened;
  }

  /** Brings the files forward by the rest of a round of a node that does not own the shard. */
  static void follow(Disk disk, Path shard, RoundJournal round) {
    Path file = shard.resolve("sqlite/objects");
    SimulatedObjects opened = new SimulatedObjects(disk, file, round, read(disk, file));
    opened.recover(round.recoveryLog());
    opened.save();
    round.finish(List.of(opened));
  }

  private static List<String> read(Disk disk, Path file) {
    if (!disk.exists(file)) {
      return new ArrayList<>();
    }
    try (DiskFile open = disk.open(file, Disk.Mode.READ)) {
      byte[] bytes = new byte[(int) open.size()];
      open.read(bytes, 0, bytes.length, 0);
      return new ArrayList<>(new String(bytes, StandardCharsets.UTF_8).lines().toList());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public int viewId() {
    return 1;
  }

  @Override
  public void recover(RecoveryLog log) {
    log.forEach(
        record -> {
          if (record.position() > texts.size() + 1) {
            throw new AssertionError(
                "The files have the records up to " + texts.size() + ", then comes " + record);
          }
          if (record.position() == texts.size() + 1) {
            texts.add(StandardCharsets.UTF_8.decode(record.payload().duplicate()).toString());
          }
        });
    if (texts.size() != journal.lastPosition()) {
      throw new AssertionError(
          "The files have " + texts.size() + " records of " + journal.lastPosition());
    }
  }

  /** {@return the position of a record that this appends} */
  long append(String text) {
    return append(RecordKind.BATCH, SimulatedShard.KEY, text);
  }

  /** {@return the position of a record of another kind or object} */
  long append(RecordKind kind, ObjectKey key, String text) {
    long position =
        journal.append(
            kind, 1, key, ChainLink.FIRST, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    texts.add(text);
    if (texts.size() != position) {
      throw new AssertionError("Position " + position + " for record " + texts.size());
    }
    return position;
  }

  /** Brings the files up to what is durable in the journal. */
  void save() {
    int durable = (int) Math.min(texts.size(), journal.durablePosition());
    if (durable > written) {
      byte[] all =
          (String.join("\n", texts.subList(0, durable)) + "\n").getBytes(StandardCharsets.UTF_8);
      try {
        disk.ensureDirectory(file.getParent());
        disk.replace(file, all);
        written = durable;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** From now on a restore needs the history from a position on. */
  void hold(long position) {
    floor = position;
  }

  List<String> texts() {
    return List.copyOf(texts);
  }

  @Override
  public long lowWaterMark() {
    return written + 1L;
  }

  @Override
  public void checkpointBefore(long position) {
    save();
  }

  @Override
  public long historyFloor() {
    return floor;
  }
}
