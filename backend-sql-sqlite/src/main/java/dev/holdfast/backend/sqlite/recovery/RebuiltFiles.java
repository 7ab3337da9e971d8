package dev.holdfast.backend.sqlite.recovery;

import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.RedonePages;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.backend.sqlite.wal.RebuiltFile;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The database files that recovery brings up to date. Pages are changed in memory and written in
 * place when they are many; those that the journal could not repair are durable in {@link
 * RedoPages} before. Once these are many, everything is written and synced, and they begin again.
 *
 * <p>Confined to the thread that recovers.
 */
final class RebuiltFiles implements AutoCloseable {

  /**
   * How much is held.
   *
   * @param heldBytes when all together have more in memory, pages that were only read are
   *     forgotten, and others are written until a quarter is free
   * @param redoBytes the file of {@link RedoPages} begins again when it is longer: it has at most
   *     this and what was in memory
   * @param sharing how many recoveries hold pages now, of all shards: each has an equal part
   */
  record Bounds(long heldBytes, long redoBytes, AtomicInteger sharing) {

    static final Bounds DEFAULT =
        new Bounds(RebuiltFile.HELD_BYTES_MAX, 32L << 20, new AtomicInteger());

    long part() {
      return heldBytes / Math.max(1, sharing.get());
    }
  }

  private final ObjectFiles files;
  private final RedoPages redoPages;
  private final Bounds bounds;

  /** Files with pages in memory, least recently changed first. */
  private final Map<ObjectKey, RebuiltFile> rebuilt = new LinkedHashMap<>(16, 0.75f, true);

  /** The last batch that was applied to each. */
  private final Map<ObjectKey, Long> lastPositions = new HashMap<>();

  /** Files that were written since the redo pages began, and not synced. */
  private final Set<Path> written = new HashSet<>();

  private long heldBytes;

  /** Whether this recovery counts: it has begun to hold pages. */
  private boolean isSharing;

  RebuiltFiles(Disk disk, ObjectFiles files, Bounds bounds) {
    this.files = files;
    this.redoPages = new RedoPages(disk, files);
    this.bounds = bounds;
  }

  /** Writes what an earlier recovery has left in {@link RedoPages}. */
  void replay(Recovery.Lacking lacking) throws IOException {
    redoPages.replay(lacking);
  }

  /**
   * Applies a batch, or a part of one, to the file of its object.
   *
   * @param position of the batch
   * @param pages records what is written
   * @throws dev.holdfast.errors.DataDirectoryException if another file cannot be written
   */
  void apply(ObjectKey key, long position, BatchReader batch, RedonePages pages)
      throws IOException {
    if (!isSharing) {
      isSharing = true;
      bounds.sharing().incrementAndGet();
    }
    RebuiltFile target =
        rebuilt.computeIfAbsent(key, _ -> new RebuiltFile(files, files.database(key), pages));
    lastPositions.put(key, position);
    long before = target.heldBytes();
    target.redo(batch);
    heldBytes += target.heldBytes() - before;
    long part = bounds.part();
    if (heldBytes > part) {
      forgetUnchanged();
      makeRoom(part - part / 4); // not for each batch
    }
  }

  /** A page is read again for less than a write takes, which syncs others before. */
  private void forgetUnchanged() {
    heldBytes = 0;
    for (RebuiltFile each : rebuilt.values()) {
      each.forgetUnchanged();
      heldBytes += each.heldBytes();
    }
  }

  private void makeRoom(long heldBytesMax) {
    while (heldBytes > heldBytesMax) {
      protect(rebuilt.values().iterator().next());
      writeEldest();
      if (redoPages.lengthBytes() > bounds.redoBytes()) {
        beginAgain();
      }
    }
  }

  /** Writes all changed pages; they are not synced. */
  void writeAll() {
    while (!rebuilt.isEmpty()) {
      protect(rebuilt.values().iterator().next());
      writeEldest();
    }
  }

  /** The names of all files at once, which costs one sync. */
  private void protect(RebuiltFile next) {
    if (!next.isChanged()) {
      return;
    }
    try {
      for (Map.Entry<ObjectKey, RebuiltFile> each : rebuilt.entrySet()) {
        if (each.getValue().isChanged()) {
          ObjectKey key = each.getKey();
          redoPages.add(key, lastPositions.getOrDefault(key, 0L), each.getValue());
        }
      }
      redoPages.force();
    } catch (IOException e) {
      throw Recovery.notWritten(files.root().resolve(RedoPages.NAME), e);
    }
  }

  private void writeEldest() {
    Iterator<Map.Entry<ObjectKey, RebuiltFile>> eldest = rebuilt.entrySet().iterator();
    Map.Entry<ObjectKey, RebuiltFile> entry = eldest.next();
    eldest.remove();
    heldBytes -= entry.getValue().heldBytes();
    Path file = files.database(entry.getKey());
    try {
      entry.getValue().write();
    } catch (IOException e) {
      throw Recovery.notWritten(file, e);
    }
    if (redoPages.lengthBytes() > 0) {
      written.add(file);
    }
  }

  /** Makes durable what the pages were kept for. */
  private void beginAgain() {
    writeAll(); // what is protected and only in memory would not be protected any more
    for (Path file : written) {
      try {
        files.force(file);
      } catch (IOException e) {
        throw Recovery.notWritten(file, e);
      }
    }
    written.clear();
    try {
      redoPages.end();
    } catch (IOException e) {
      throw Recovery.notWritten(files.root().resolve(RedoPages.NAME), e);
    }
  }

  @Override
  public void close() throws IOException {
    if (isSharing) {
      isSharing = false;
      bounds.sharing().decrementAndGet();
    }
    redoPages.close();
  }
}
