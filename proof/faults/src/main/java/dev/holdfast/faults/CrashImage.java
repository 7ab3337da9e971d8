package dev.holdfast.faults;

import dev.holdfast.faults.PowerLossDisk.Inode;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides by a seed which parts of two states of a directory tree, the last synced one and the
 * present one, survive a power cut. Confined to one thread.
 */
final class CrashImage {

  /** How much of the unsynced data survives: none, all, or some. */
  private enum Survival {
    NOTHING,
    EVERYTHING,
    SOME
  }

  private final SplittableRandom random;
  private final Map<Path, Inode> before;
  private final Map<Path, Inode> after;
  private final Survival survivalOfNames;

  /** Files that have their present name, not the name at the last sync. */
  private final Set<Inode> moved = new HashSet<>();

  private final Set<Inode> decided = new HashSet<>();

  /** The unit at which a write is torn. */
  private final int tornBytes;

  CrashImage(long seed, Map<Path, Inode> before, Map<Path, Inode> after, int tornBytes) {
    this.tornBytes = tornBytes;
    this.random = new SplittableRandom(seed);
    this.before = before;
    this.after = after;
    this.survivalOfNames = choose();
  }

  private Survival choose() {
    return Survival.values()[random.nextInt(Survival.values().length)];
  }

  /** {@return the names that survive and their files} */
  Map<Path, Inode> entries() {
    for (Path name : names()) {
      chooseSide(before.get(name));
      chooseSide(after.get(name));
    }
    displaceReplaced();
    Map<Path, Inode> result = new TreeMap<>();
    for (Path name : names()) {
      Inode survivor = survivorAt(name);
      if (survivor != null) {
        result.put(name, survivor);
      }
    }
    return result;
  }

  /**
   * Returns the directories that survive.
   *
   * @param root the directory that holds the tree; always survives
   * @param present all directories, each after its parent
   * @param synced the directories whose entry in the parent is durable
   */
  Set<Path> directories(Path root, List<Path> present, Set<Path> synced) {
    Set<Path> survivors = new TreeSet<>();
    for (Path directory : present) {
      boolean isNamed = synced.contains(directory) || takesNewSide();
      boolean isHeld =
          directory.equals(root)
              || (directory.getParent() != null && survivors.contains(directory.getParent()));
      if (isNamed && isHeld) {
        survivors.add(directory);
      }
    }
    return survivors;
  }

  private Set<Path> names() {
    Set<Path> names = new TreeSet<>(before.keySet());
    names.addAll(after.keySet());
    return names;
  }

  private void chooseSide(@Nullable Inode inode) {
    if (inode != null && decided.add(inode)) {
      if (takesNewSide()) {
        moved.add(inode);
      }
    }
  }

  private boolean takesNewSide() {
    return switch (survivalOfNames) {
      case NOTHING -> false;
      case EVERYTHING -> true;
      case SOME -> random.nextBoolean();
    };
  }

  /** If a file has taken over a name, the previous file can no longer have it. */
  private void displaceReplaced() {
    boolean changed = true;
    while (changed) {
      changed = false;
      for (Map.Entry<Path, Inode> entry : after.entrySet()) {
        Inode old = before.get(entry.getKey());
        if (old != null && old != entry.getValue() && moved.contains(entry.getValue())) {
          changed |= moved.add(old);
        }
      }
    }
  }

  private @Nullable Inode survivorAt(Path name) {
    Inode old = before.get(name);
    Inode current = after.get(name);
    if (current != null && (current == old || moved.contains(current))) {
      return current;
    }
    if (old == null) {
      return null;
    }
    // A name that a rename took over never disappears: before the rename, the old file has it.
    boolean replaced = current != null && !after.containsValue(old);
    return replaced || !moved.contains(old) ? old : null;
  }

  /**
   * Returns the content of a file that survives.
   *
   * @param inode the file
   * @param written all bytes written to it
   */
  byte[] content(Inode inode, byte[] written) {
    byte[] synced = inode.synced == null ? new byte[0] : inode.synced;
    return switch (choose()) {
      case NOTHING -> synced;
      case EVERYTHING -> written;
      case SOME -> torn(synced, written);
    };
  }

  private byte[] torn(byte[] synced, byte[] written) {
    byte[] result = new byte[tornSize(synced.length, written.length)];
    for (int start = 0; start < result.length; start += tornBytes) {
      int end = Math.min(result.length, start + tornBytes);
      byte[] source = random.nextBoolean() ? written : synced;
      if (isDestroyed(synced, written, start, end)) {
        Arrays.fill(result, start, end, (byte) 0x5A);
      } else if (start < source.length) {
        System.arraycopy(source, start, result, start, Math.min(end, source.length) - start);
      }
    }
    return result;
  }

  /**
   * {@return whether a unit that was being written is neither old nor new} Of small units only, and
   * not one that is only appended to: durable bytes that are written again unchanged survive, as
   * {@code docs/formats/journal.md} assumes.
   */
  private boolean isDestroyed(byte[] synced, byte[] written, int start, int end) {
    return tornBytes < PowerLossDisk.PAGE_BYTES
        && end <= Math.min(synced.length, written.length)
        && !Arrays.equals(synced, start, end, written, start, end)
        && !isAppended(synced, written, start, end)
        && random.nextInt(4) == 0;
  }

  private static boolean isAppended(byte[] synced, byte[] written, int start, int end) {
    int last = end;
    while (last > start && synced[last - 1] == 0) {
      last--;
    }
    return last < end && Arrays.equals(synced, start, last, written, start, last);
  }

  /** {@return content in which some pages come from other content, or are zero after its end} */
  static byte[] withPages(byte[] content, byte @Nullable [] other, BitSet pages) {
    byte[] result = content.clone();
    byte[] source = Arrays.copyOf(other == null ? new byte[0] : other, content.length);
    pages.stream()
        .map(page -> page * PowerLossDisk.PAGE_BYTES)
        .filter(start -> start < result.length)
        .forEach(
            start -> {
              int length = Math.min(PowerLossDisk.PAGE_BYTES, result.length - start);
              System.arraycopy(source, start, result, start, length);
            });
    return result;
  }

  private int tornSize(int syncedBytes, int writtenBytes) {
    int low = Math.min(syncedBytes, writtenBytes);
    int high = Math.max(syncedBytes, writtenBytes);
    return switch (random.nextInt(3)) {
      case 0 -> syncedBytes;
      case 1 -> writtenBytes;
      default -> low + random.nextInt(high - low + 1);
    };
  }
}
