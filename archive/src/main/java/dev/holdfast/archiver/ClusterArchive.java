package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.errors.ArchiveException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The archives of the shards of a cluster in one place: each has its own part of the names, and one
 * entry says of which cluster they are. The threads of all shards share the store, one at a time.
 * Thread-safe.
 */
public final class ClusterArchive {

  private static final String NAME = "cluster";
  private static final Pattern CONTENT =
      Pattern.compile("(version=1\ncluster=([^\n]+)\nshards=([0-9]{1,9})\n)crc=([0-9a-f]{8})\n");

  private final ArchiveStore store;
  private final Identity identity;
  private final ArchiveAdditions additions = new ArchiveAdditions();
  private final ReentrantLock lock = new ReentrantLock(/* fair= */ true);
  private boolean isKnown; // guarded by lock

  /**
   * Whose shards they are.
   *
   * @param cluster the name of the cluster
   * @param shards their number
   */
  public record Identity(String cluster, int shards) {}

  /**
   * Creates it; asks the store nothing yet.
   *
   * @param store where the archives are; not closed
   * @param identity whose shards they are
   */
  public ClusterArchive(ArchiveStore store, Identity identity) {
    this.store = store;
    this.identity = identity;
  }

  /**
   * Opens what was archived.
   *
   * @param store where the archives are; not closed
   * @return the archives
   * @throws ArchiveException if it is not the place of a cluster, or cannot be read
   */
  public static ClusterArchive read(ArchiveStore store) {
    try {
      Identity found = identity(store);
      if (found == null) {
        throw new ArchiveException(
            store + " has no archive of a cluster: there is no entry " + NAME + ". Check the place",
            null);
      }
      return new ClusterArchive(store, found);
    } catch (IOException e) {
      throw ArchiveFiles.unreadable(e);
    }
  }

  /**
   * {@return whether the place is that of a cluster, and not of a single machine}
   *
   * @param store the place; not closed
   * @throws ArchiveException if it cannot be read
   */
  public static boolean isOne(ArchiveStore store) {
    try {
      return identity(store) != null;
    } catch (IOException e) {
      throw ArchiveFiles.unreadable(e);
    }
  }

  private static @Nullable Identity identity(ArchiveStore store) throws IOException {
    byte[] content = ArchiveFiles.bytes(store, NAME);
    if (content == null) {
      return null;
    }
    Matcher lines = CONTENT.matcher(new String(content, StandardCharsets.UTF_8));
    if (!lines.matches() || !lines.group(4).equals(checksum(lines.group(1)))) {
      throw new DamagedEntryException(
          NAME + " in " + store, "The entry is damaged, or of a newer version of Holdfast.", null);
    }
    return new Identity(lines.group(2), Integer.parseInt(lines.group(3)));
  }

  private static byte[] encode(Identity identity) {
    String lines =
        "version=1\ncluster=" + identity.cluster() + "\nshards=" + identity.shards() + "\n";
    return (lines + "crc=" + checksum(lines) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static String checksum(String lines) {
    CRC32C crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    return "%08x".formatted(crc.getValue());
  }

  /** {@return whose shards they are} */
  public Identity identity() {
    return identity;
  }

  /**
   * {@return the archive of a shard, to be read} It takes no entries. To close it does nothing.
   *
   * @param number of the shard
   * @throws IndexOutOfBoundsException if the cluster has no such shard
   */
  public ArchiveStore shard(int number) {
    return new Shard(Objects.checkIndex(number, identity.shards()), OptionalLong.empty());
  }

  /**
   * {@return the archive of a shard, as one ownership uses it} To close it ends the ownership.
   *
   * @param number of the shard
   * @param epoch of the ownership
   * @throws IndexOutOfBoundsException if the cluster has no such shard
   */
  public ArchiveStore shard(int number, long epoch) {
    return new Shard(Objects.checkIndex(number, identity.shards()), OptionalLong.of(epoch));
  }

  /**
   * Ends what earlier ownerships of a shard add, in this process: they begin nothing more.
   *
   * @param number of the shard
   * @param epoch of the ownership that asks
   * @return whether nothing is being added by them any more
   * @throws IndexOutOfBoundsException if the cluster has no such shard
   */
  public boolean endAdditions(int number, long epoch) {
    return additions.endBefore(Objects.checkIndex(number, identity.shards()), epoch);
  }

  /**
   * {@return whether an ownership has ended: its archive was closed}
   *
   * @param number of the shard
   * @param epoch of the ownership
   */
  public boolean isClosed(int number, long epoch) {
    return additions.isClosed(number, epoch);
  }

  private final class Shard implements ArchiveStore {

    private final int number;
    private final OptionalLong ownership;
    private final String prefix;

    Shard(int number, OptionalLong ownership) {
      this.number = number;
      this.ownership = ownership;
      this.prefix = "shards/%04d/".formatted(number);
    }

    @Override
    public boolean putIfAbsent(String name, ArchiveContent content) throws IOException {
      long epoch =
          ownership.orElseThrow(
              () -> new UnsupportedOperationException(this + " is only read here."));
      additions.begin(number, epoch);
      try {
        return inTurn(
            () -> {
              requireIdentity();
              return store.putIfAbsent(prefix + name, content);
            });
      } finally {
        additions.end(number, epoch);
      }
    }

    /** All is read at once: the store is used by one thread at a time. */
    @Override
    public @Nullable InputStream open(String name) throws IOException {
      byte[] content = inTurn(() -> ArchiveFiles.bytes(store, prefix + name));
      return content == null ? null : new ByteArrayInputStream(content);
    }

    @Override
    public List<ArchiveEntry> list(String namePrefix, String after, int limit) throws IOException {
      String from = after.isEmpty() ? "" : prefix + after;
      return inTurn(() -> store.list(prefix + namePrefix, from, limit)).stream()
          .map(each -> new ArchiveEntry(each.name().substring(prefix.length()), each.bytes()))
          .toList();
    }

    @Override
    public void delete(String name) throws IOException {
      inTurn(
          () -> {
            store.delete(prefix + name);
            return true;
          });
    }

    @Override
    public void deleteUnfinished(String namePrefix) throws IOException {
      inTurn(
          () -> {
            store.deleteUnfinished(prefix + namePrefix);
            return true;
          });
    }

    @Override
    public void close() {
      ownership.ifPresent(epoch -> additions.close(number, epoch));
    }

    @Override
    public String toString() {
      return store + "/" + prefix.substring(0, prefix.length() - 1);
    }
  }

  private interface Operation<R extends @Nullable Object> {
    R run() throws IOException;
  }

  /**
   * One shard that adds or deletes much lets the others in; a closed one does not wait for ever.
   */
  private <R extends @Nullable Object> R inTurn(Operation<R> operation) throws IOException {
    try {
      lock.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("The shard was closed.");
    }
    try {
      return operation.run();
    } finally {
      lock.unlock();
    }
  }

  /** Before the first entry of a shard: two clusters must not mix theirs. */
  private void requireIdentity() throws IOException {
    assert lock.isHeldByCurrentThread();
    if (isKnown) {
      return;
    }
    if (!store.putIfAbsent(NAME, ArchiveContent.of(encode(identity)))) {
      Identity found = identity(store);
      if (!identity.equals(found)) {
        throw new IOException(
            store
                + " has the archive of "
                + (found == null
                    ? "another cluster"
                    : "cluster " + found.cluster() + " with " + found.shards() + " shards")
                + ". Give this cluster its own place");
      }
    }
    isKnown = true;
  }
}
