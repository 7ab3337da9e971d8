package dev.holdfast.log.ratis;

import dev.holdfast.log.ratis.threads.RatisInternals;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.server.storage.RaftStorageMetadataFile;

/**
 * The term of a member and its vote, in the file and the layout of Ratis. As Ratis 3.3.0 writes it,
 *
 * <ul>
 *   <li>a full disk leaves an empty file, with which the log is not opened again;
 *   <li>its name is not synced, so a power loss may take a vote back;
 *   <li>of two writers at once the older one may be the last.
 * </ul>
 *
 * <p>A member that cannot write its vote would stand for no election any more, and say nothing: the
 * thread that does ends with the error.
 *
 * <p>There is no option for any of this, so the object that writes it is replaced, by reflection.
 * Thread-safe.
 */
final class VoteFile implements RaftStorageMetadataFile {

  static final String NAME = "raft-meta";

  private final Disk disk;
  private final Path file;
  private final Consumer<IOException> failed;

  private RaftStorageMetadata known; // guarded by this

  VoteFile(Disk disk, Path file, RaftStorageMetadata known, Consumer<IOException> failed) {
    this.disk = disk;
    this.file = file;
    this.known = known;
    this.failed = failed;
  }

  /**
   * Takes over the file of a member, which Ratis has read.
   *
   * @param failed is called, with a lock of Ratis, if the file cannot be written
   * @throws IllegalStateException if Ratis is another version than this module was built with
   * @throws IOException if the file cannot be read
   */
  static void takeOver(RaftStorage storage, Disk disk, Consumer<IOException> failed)
      throws IOException {
    Object holder = RatisInternals.valueOf(storage, "metaFile");
    @SuppressWarnings("unchecked")
    AtomicReference<RaftStorageMetadataFile> file =
        (AtomicReference<RaftStorageMetadataFile>) RatisInternals.valueOf(holder, "ref");
    Path path = storage.getStorageDir().getCurrentDir().toPath().resolve(NAME);
    file.set(new VoteFile(disk, path, file.get().getMetadata(), failed));
  }

  @Override
  public synchronized RaftStorageMetadata getMetadata() {
    return known;
  }

  /** Makes it durable. Without effect if a later term is, or the vote of this term. */
  @Override
  public synchronized void persist(RaftStorageMetadata next) throws IOException {
    String vote = voteOf(next);
    String knownVote = voteOf(known);
    boolean isKnown =
        next.getTerm() < known.getTerm()
            || (next.getTerm() == known.getTerm() && (vote.isEmpty() || vote.equals(knownVote)));
    if (isKnown) {
      return;
    }
    if (next.getTerm() == known.getTerm() && !knownVote.isEmpty()) {
      throw new IOException(
          "This member has voted for " + knownVote + " in term " + known.getTerm() + " already.");
    }
    String text = "term=" + next.getTerm() + "\nvotedFor=" + vote + "\n";
    try {
      disk.replace(file, text.getBytes(StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      failed.accept(e);
      throw e;
    }
    known = next;
  }

  private static String voteOf(RaftStorageMetadata metadata) {
    RaftPeerId voted = metadata.getVotedFor();
    return voted == null ? "" : voted.toString();
  }
}
