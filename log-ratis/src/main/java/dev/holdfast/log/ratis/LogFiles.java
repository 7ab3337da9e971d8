package dev.holdfast.log.ratis;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.log.Replica;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.OptionalLong;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.jspecify.annotations.Nullable;

/**
 * What files beside a log say about the log and its replica: where the log may begin, and what was
 * fetched, taken back and set aside. Confined to one thread at a time.
 */
final class LogFiles {

  private final Disk disk;
  private final Path directory;
  private final int shard;
  private final CompactedFile compacted;
  private final CompactedFile fetched;
  private final CompactedFile takenBack;
  private final CompactedFile setAside;

  LogFiles(Disk disk, Path directory, int shard) {
    this.disk = disk;
    this.directory = directory;
    this.shard = shard;
    this.compacted = new CompactedFile(disk, directory);
    this.fetched = new CompactedFile(disk, directory, CompactedFile.FETCHED_NAME);
    this.takenBack = new CompactedFile(disk, directory, CompactedFile.TAKEN_BACK_NAME);
    this.setAside = new CompactedFile(disk, directory, CompactedFile.SET_ASIDE_NAME);
  }

  Path directory() {
    return directory;
  }

  /** {@return the last entry that the log may have dropped; null if it has dropped none} */
  @Nullable TermIndex compacted() throws IOException {
    return compacted.read();
  }

  void compacted(TermIndex entry) throws IOException {
    compacted.write(entry);
  }

  /** The replica is about to go on at an entry that its log lacks. */
  void fetched(TermIndex entry) throws IOException {
    fetched.write(entry);
  }

  /** For {@link RatisLog#takenBack}. */
  OptionalLong takenBack() {
    try {
      TermIndex entry = takenBack.read();
      if (entry != null && entry.getIndex() < RatisLog.FIRST_OF_REPLICAS) {
        takenBack.delete(); // no replica has such an entry: a version before this one wrote it
        return OptionalLong.empty();
      }
      return entry == null ? OptionalLong.empty() : OptionalLong.of(entry.getIndex());
    } catch (IOException e) {
      throw cannotOpen(e);
    }
  }

  /** The log takes an entry back that the replica has. */
  void takenBack(long index) throws IOException {
    if (takenBack.read() == null) { // the first one says how far the replica can be trusted
      takenBack.write(TermIndex.valueOf(0, index));
    }
  }

  /** For {@link RatisLog#replicaIsSetAside}. */
  void replicaIsSetAside() {
    try {
      TermIndex entry = takenBack.read();
      if (entry != null) {
        setAside.write(entry);
        takenBack.delete();
      }
    } catch (IOException e) {
      throw cannotOpen(e);
    }
  }

  /** For {@link RatisLog#lacksReplica}. */
  boolean lacksReplica() {
    try {
      return setAside.read() != null;
    } catch (IOException e) {
      throw cannotOpen(e);
    }
  }

  /** For {@link RatisLog#refill}. */
  void refill(Replica empty) {
    try {
      if (empty.appliedIndex().isEmpty()) { // otherwise it was killed just before the end
        TermIndex start = compacted.read();
        Replica.Fetched copy = empty.fetch(start == null ? RatisLog.NONE : start.getIndex());
        if (copy == null) {
          throw new DataDirectoryException(
              directory, "The copy of shard " + shard + " takes nothing from other nodes", null);
        }
        TermIndex place = TermIndex.valueOf(copy.place().term(), copy.place().index());
        if (place.getIndex() >= RatisLog.FIRST_OF_REPLICAS) {
          fetched.write(place);
          copy.install();
        } // else the others have nothing yet, and the log has all that they will have
      }
      setAside.delete();
    } catch (IOException e) {
      throw cannotOpen(e);
    }
  }

  /**
   * A process that ended after the replica was brought forward has perhaps left a log that ends
   * before: nothing in it is needed, and Ratis would not go on after a gap. Nor is a log needed
   * that has another entry there: a majority has none of what follows in it.
   *
   * @param applied the last entry that the replica has
   * @param log what the process has left
   */
  void finishFetch(long applied, OfflineLog log) {
    try {
      TermIndex place = fetched.read();
      if (place == null) {
        return;
      }
      TermIndex stated = compacted.read();
      long index = place.getIndex();
      if (applied >= index && (stated == null || stated.getIndex() <= index)) {
        if (log.examine(OptionalLong.of(index)) == OfflineLog.Condition.WHOLE
            && !log.goesOnAfter(place)) {
          for (LogSegmentPath each : log.files()) {
            disk.delete(each.getPath());
            disk.forceDirectory(Objects.requireNonNull(each.getPath().getParent()));
          }
        }
        compacted.write(place);
      }
      fetched.delete();
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory, "The log of shard " + shard + " cannot be brought forward", e);
    }
  }

  private DataDirectoryException cannotOpen(IOException e) {
    return new DataDirectoryException(
        directory, "The log of shard " + shard + " cannot be opened", e);
  }
}
