package dev.holdfast.faults;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that can lose power, for tests that open thousands of directories. After {@link
 * #losePower} each page that was written since the last {@link DiskFile#force} is old or new, and
 * of the changes of a directory since its last {@link #forceDirectory} the first ones are there, as
 * on a file system that keeps a journal of them. {@code PowerLossDisk} has more freedom, and real
 * files. Thread-safe.
 */
public final class MemoryDisk implements Disk {

  private static final int PAGE_BYTES = 4096;

  private static final class Content {
    byte[] present = new byte[0];
    byte[] durable = new byte[0];
  }

  /** A file gets a name, or a name is removed. */
  private record Change(Path directory, Path name, @Nullable Content content) {}

  private final Set<Path> directories = new HashSet<>();
  private final Map<Path, Content> present = new TreeMap<>();
  private final Map<Path, Content> durable = new TreeMap<>();
  private final List<List<Change>> changes = new ArrayList<>();
  private int powerLosses;

  /** Creates an empty disk. */
  public MemoryDisk() {}

  /**
   * Cuts the power and restores it. Files that are open fail from now on.
   *
   * @param random what survives of that which was not synced
   */
  public synchronized void losePower(RandomGenerator random) {
    powerLosses++;
    int kept = random.nextInt(changes.size() + 1);
    changes.subList(0, kept).forEach(step -> step.forEach(this::makeDurable));
    changes.clear();
    present.clear();
    present.putAll(durable);
    for (Content content : new HashSet<>(present.values())) {
      content.durable = mixed(content, random);
      content.present = content.durable.clone();
    }
  }

  private void makeDurable(Change change) {
    if (change.content() == null) {
      durable.remove(change.name());
    } else {
      durable.put(change.name(), change.content());
    }
  }

  private static byte[] mixed(Content content, RandomGenerator random) {
    byte[] old = content.durable;
    byte[] fresh = content.present;
    byte[] mixed = Arrays.copyOf(old, random.nextBoolean() ? old.length : fresh.length);
    for (int at = 0; at < mixed.length; at += PAGE_BYTES) {
      int end = Math.min(Math.min(at + PAGE_BYTES, mixed.length), fresh.length);
      if (at < end && random.nextBoolean()) {
        System.arraycopy(fresh, at, mixed, at, end - at);
      }
    }
    return mixed;
  }

  private static Path parent(Path file) {
    Path parent = file.toAbsolutePath().normalize().getParent();
    return parent == null ? file : parent;
  }

  private static Path path(Path file) {
    return file.toAbsolutePath().normalize();
  }

  @Override
  public synchronized DiskFile open(Path file, Mode mode) throws IOException {
    Content content = present.get(path(file));
    if (content == null) {
      if (mode != Mode.CREATE) {
        throw new NoSuchFileException(file.toString());
      }
      content = new Content();
      change(List.of(new Change(parent(file), path(file), content)));
    }
    return new File(content, powerLosses);
  }

  private void change(List<Change> step) {
    for (Change each : step) {
      if (each.content() == null) {
        present.remove(each.name());
      } else {
        present.put(each.name(), each.content());
      }
    }
    changes.add(step);
  }

  @Override
  public synchronized boolean exists(Path path) {
    return present.containsKey(path(path)) || directories.contains(path(path));
  }

  @Override
  public synchronized List<Path> list(Path directory) {
    return present.keySet().stream().filter(file -> parent(file).equals(path(directory))).toList();
  }

  @Override
  public synchronized void createDirectories(Path directory) {
    for (Path each = path(directory); each != null; each = each.getParent()) {
      directories.add(each);
    }
  }

  @Override
  public synchronized void delete(Path file) {
    if (present.containsKey(path(file))) {
      change(List.of(new Change(parent(file), path(file), null)));
    }
  }

  @Override
  public synchronized void move(Path from, Path to) throws IOException {
    Content content = present.get(path(from));
    if (content == null) {
      throw new NoSuchFileException(from.toString());
    }
    change(
        List.of(
            new Change(parent(from), path(from), null), new Change(parent(to), path(to), content)));
  }

  @Override
  public synchronized void forceDirectory(Path directory) {
    Path forced = path(directory);
    List<List<Change>> later = new ArrayList<>();
    for (List<Change> step : changes) {
      if (step.stream().anyMatch(each -> each.directory().equals(forced))) {
        step.forEach(this::makeDurable);
      } else {
        later.add(step);
      }
    }
    changes.clear();
    changes.addAll(later);
  }

  @Override
  public long usableBytes(Path directory) {
    return Long.MAX_VALUE;
  }

  @Override
  public long totalBytes(Path directory) {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean isWritable(Path directory) {
    return true;
  }

  private final class File implements DiskFile {

    private final Content content;
    private final int openedAfter;

    File(Content content, int openedAfter) {
      this.content = content;
      this.openedAfter = openedAfter;
    }

    private void requirePower() throws IOException {
      if (openedAfter != powerLosses) {
        throw new IOException("The power was lost");
      }
    }

    @Override
    public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      synchronized (MemoryDisk.this) {
        requirePower();
        int count = Math.clamp(content.present.length - offsetBytes, 0, lengthBytes);
        if (count > 0) {
          System.arraycopy(content.present, (int) offsetBytes, target, targetOffset, count);
        }
        return count;
      }
    }

    @Override
    public void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      synchronized (MemoryDisk.this) {
        requirePower();
        int end = Math.toIntExact(offsetBytes + lengthBytes);
        if (end > content.present.length) {
          content.present = Arrays.copyOf(content.present, end);
        }
        System.arraycopy(source, sourceOffset, content.present, (int) offsetBytes, lengthBytes);
      }
    }

    @Override
    public void force() throws IOException {
      synchronized (MemoryDisk.this) {
        requirePower();
        content.durable = content.present.clone();
      }
    }

    @Override
    public long size() throws IOException {
      synchronized (MemoryDisk.this) {
        requirePower();
        return content.present.length;
      }
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      synchronized (MemoryDisk.this) {
        requirePower();
        content.present = Arrays.copyOf(content.present, Math.toIntExact(sizeBytes));
      }
    }

    @Override
    public void close() {}
  }
}
