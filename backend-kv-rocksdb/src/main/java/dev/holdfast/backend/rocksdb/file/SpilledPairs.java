package dev.holdfast.backend.rocksdb.file;

import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Values of an object by key, in order, with a bound on memory: values above the bound go to a
 * separate database beside the backend's, which is deleted on close. A later value of a key
 * replaces the earlier one; null means that the key has no value.
 *
 * <p>Owned by one thread; the storage threads do the disk work.
 */
public final class SpilledPairs implements AutoCloseable {

  /**
   * Where values are stored, and how many stay in memory.
   *
   * @param parent the directory in which the directories are created
   * @param directories supplies the path of a new directory
   */
  public record Room(
      Path parent, Supplier<Path> directories, StorageThreads threads, long bytesMax) {}

  /** Takes a key and its value. */
  @FunctionalInterface
  public interface Visitor {

    /**
     * Takes one pair; a null value means that the key has no value.
     *
     * @return whether more is wanted
     */
    boolean visit(byte[] key, byte @Nullable [] value);
  }

  private static final int ENTRY_BYTES = 100;
  private static final byte ABSENT = 0;
  private static final byte PRESENT = 1;
  private static final byte[] NOTHING = {ABSENT};

  private final Room room;

  /** The values put last, with the first byte of the stored form. */
  private final TreeMap<byte[], byte[]> recent = new TreeMap<>(Keys.ORDER);

  private long recentBytes;
  private @Nullable Scratch scratch;

  /** The database of the values that do not stay in memory. */
  private record Scratch(Path directory, RocksDB rocks, WriteOptions unlogged, NativeHandles all) {}

  public SpilledPairs(Room room) {
    this.room = room;
  }

  /** {@return whether values are on the disk, because they took too much memory} */
  public boolean isSpilled() {
    return scratch != null;
  }

  /** Sets the value of a key. */
  public void put(byte[] key, byte @Nullable [] value) {
    byte[] stored = NOTHING;
    if (value != null) {
      stored = new byte[value.length + 1];
      stored[0] = PRESENT;
      System.arraycopy(value, 0, stored, 1, value.length);
    }
    recent.put(key, stored);
    recentBytes += ENTRY_BYTES + key.length + stored.length;
    if (recentBytes > room.bytesMax()) {
      run(this::spill);
    }
  }

  /** {@return whether the key was put} */
  public boolean contains(byte[] key) {
    Scratch spilled = scratch;
    return recent.containsKey(key)
        || (spilled != null && run(() -> spilled.rocks().get(key)) != null);
  }

  /**
   * Hands over the values that other pairs do not have so, and those that these do not have so, in
   * the order of the keys; all of both if some are on the disk.
   */
  public void forEachUnlike(SpilledPairs other, Visitor ofThis, Visitor ofOther) {
    if (scratch != null || other.scratch != null) {
      forEach(ofThis);
      other.forEach(ofOther);
      return;
    }
    Iterator<Map.Entry<byte[], byte[]>> own = recent.entrySet().iterator();
    Iterator<Map.Entry<byte[], byte[]>> others = other.recent.entrySet().iterator();
    Map.@Nullable Entry<byte[], byte[]> here = next(own);
    Map.@Nullable Entry<byte[], byte[]> there = next(others);
    while (here != null || there != null) {
      int order = here == null ? 1 : there == null ? -1 : compare(here, there);
      boolean isSame =
          here != null
              && there != null
              && order == 0
              && Arrays.equals(here.getValue(), there.getValue());
      if (here != null && order <= 0) {
        if (!isSame) {
          ofThis.visit(here.getKey(), valueIn(here.getValue()));
        }
        here = next(own);
      }
      if (there != null && order >= 0) {
        if (!isSame) {
          ofOther.visit(there.getKey(), valueIn(there.getValue()));
        }
        there = next(others);
      }
    }
  }

  private static int compare(Map.Entry<byte[], byte[]> a, Map.Entry<byte[], byte[]> b) {
    return Keys.ORDER.compare(a.getKey(), b.getKey());
  }

  private static <T> @Nullable T next(Iterator<T> of) {
    return of.hasNext() ? of.next() : null;
  }

  /** Hands over the keys, in order. */
  public void forEach(Visitor visitor) {
    if (scratch == null) {
      for (Map.Entry<byte[], byte[]> each : recent.entrySet()) {
        if (!visitor.visit(each.getKey(), valueIn(each.getValue()))) {
          return;
        }
      }
      return;
    }
    Scratch spilled = run(this::spill);
    try (RocksIterator iterator = spilled.rocks().newIterator()) {
      boolean isWanted = true;
      for (iterator.seekToFirst(); isWanted && iterator.isValid(); iterator.next()) {
        isWanted = visitor.visit(iterator.key(), valueIn(iterator.value()));
      }
      iterator.status();
    } catch (RocksDBException e) {
      throw cannotKeep(e);
    }
  }

  private static byte @Nullable [] valueIn(byte[] stored) {
    return stored[0] == ABSENT ? null : Arrays.copyOfRange(stored, 1, stored.length);
  }

  /** {@return a file in the directory of these pairs} */
  public Path file(String name) {
    return run(this::open).directory().resolve(name);
  }

  private Scratch spill() throws IOException, RocksDBException {
    Scratch target = open();
    try (WriteBatch writes = new WriteBatch()) {
      for (Map.Entry<byte[], byte[]> pair : recent.entrySet()) {
        writes.put(pair.getKey(), pair.getValue());
      }
      target.rocks().write(target.unlogged(), writes);
    }
    recent.clear();
    recentBytes = 0;
    return target;
  }

  private Scratch open() throws IOException, RocksDBException {
    Scratch known = scratch;
    if (known != null) {
      return known;
    }
    Path directory = Files.createDirectory(room.directories().get());
    NativeHandles handles = new NativeHandles();
    Options options =
        handles
            .add(new Options())
            .setCreateIfMissing(true)
            .setWriteBufferSize(RocksDbBounds.SPILL_BUFFER_BYTES)
            .setCompressionType(CompressionType.LZ4_COMPRESSION);
    WriteOptions unlogged = handles.add(new WriteOptions().setDisableWAL(true));
    RocksDB rocks = handles.add(RocksDB.open(options, directory.toString()));
    Scratch made = new Scratch(directory, rocks, unlogged, handles);
    scratch = made;
    return made;
  }

  private <T extends @Nullable Object> T run(Callable<T> work) {
    try {
      return room.threads().run(work);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw cannotKeep(e);
    }
  }

  private DataDirectoryException cannotKeep(Exception e) {
    Scratch spilled = scratch;
    return new DataDirectoryException(
        spilled == null ? room.parent() : spilled.directory(),
        "An earlier state of an object cannot be kept on the disk; nothing was changed",
        e);
  }

  /** Frees the memory and deletes the files. Closing twice does nothing. */
  @Override
  public void close() {
    recent.clear();
    Scratch spilled = scratch;
    scratch = null;
    if (spilled != null) {
      run(
          () -> {
            spilled.all().close();
            delete(spilled.directory());
            return Boolean.TRUE;
          });
    }
  }

  /** Deletes a directory of files. */
  public static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
