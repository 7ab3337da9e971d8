package dev.holdfast.faults;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * A disk with injected faults: at the n-th operation of a kind, in the middle of a write, or when
 * it is full. It forwards all other operations to another disk.
 *
 * <p>{@code disk.fail(FORCE, 3)} makes the third sync from now on fail; the fourth succeeds again,
 * as it may on a real machine, so that a journal that retries is detected. Operations are counted
 * from the creation of the disk: see {@link #count}.
 *
 * <p>Thread-safe.
 */
public final class FaultyDisk implements Disk {

  /** An operation that is counted and can fail. */
  public enum Operation {
    /** {@link Disk#open}. */
    OPEN,
    /** {@link DiskFile#read}. */
    READ,
    /** {@link DiskFile#write}. */
    WRITE,
    /** {@link DiskFile#force}. */
    FORCE,
    /** {@link DiskFile#truncate}. */
    TRUNCATE,
    /** {@link DiskFile#size}. */
    SIZE,
    /** {@link DiskFile#close}; the file is closed even then. */
    CLOSE,
    /** {@link Disk#list}. */
    LIST,
    /** {@link Disk#createDirectories}. */
    CREATE_DIRECTORIES,
    /** {@link Disk#delete}. */
    DELETE,
    /** {@link Disk#move}. */
    MOVE,
    /** {@link Disk#forceDirectory}. */
    FORCE_DIRECTORY,
    /** {@link Disk#usableBytes}. */
    USABLE_BYTES
  }

  private static final long UNLIMITED = Long.MAX_VALUE;

  private final Disk disk;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<Operation, Long> counts = new EnumMap<>(Operation.class);

  /** For each operation that is to fail, the number of bytes that still take effect. */
  private final Map<Place, Integer> faults = new HashMap<>();

  private Predicate<Path> affected = _ -> true;
  private long freeBytes = UNLIMITED;

  private volatile long forceDelayNanos;
  private volatile boolean isReadOnly;

  /**
   * Creates a disk without faults.
   *
   * @param disk the disk to forward to
   */
  public FaultyDisk(Disk disk) {
    this.disk = disk;
  }

  /**
   * Restricts counting and faults to some paths; a full disk affects all paths.
   *
   * @param paths which paths
   */
  public void affectOnly(Predicate<Path> paths) {
    lock.lock();
    try {
      affected = paths;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes one operation fail, before it has any effect.
   *
   * @param operation the kind
   * @param nth the number of the operation, counted from now; 1 is the next
   */
  public void fail(Operation operation, long nth) {
    plan(operation, nth, 0);
  }

  /**
   * Makes one write fail after a part of its bytes.
   *
   * @param nth the number of the write, counted from now; 1 is the next
   * @param writtenBytes the number of its bytes that reach the file; all if it has fewer
   */
  public void cutWrite(long nth, int writtenBytes) {
    if (writtenBytes < 0) {
      throw new IllegalArgumentException("writtenBytes must not be negative: " + writtenBytes);
    }
    plan(Operation.WRITE, nth, writtenBytes);
  }

  /**
   * Fills the disk: files can grow by at most {@code bytes} in total; a write that needs more
   * writes what fits and fails. Deleting and truncating files frees space.
   *
   * @param bytes the space available from now on; zero or more
   */
  public void limitSpace(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("bytes must not be negative: " + bytes);
    }
    lock.lock();
    try {
      freeBytes = bytes;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes every sync of a file take longer, in real time: for benchmarks of slower disks.
   *
   * @param delay the additional time; zero for no delay
   */
  public void delayForce(Duration delay) {
    forceDelayNanos = delay.toNanos();
  }

  /** Makes the disk say that no file can be created, as after an error of its file system. */
  public void reportReadOnly() {
    isReadOnly = true;
  }

  /** Removes all faults that have not happened, the space limit, and the delay. */
  public void heal() {
    lock.lock();
    try {
      faults.clear();
      freeBytes = UNLIMITED;
      affected = _ -> true;
    } finally {
      lock.unlock();
    }
    forceDelayNanos = 0;
    isReadOnly = false;
  }

  /**
   * Returns how often an operation was called, including failed calls.
   *
   * @param operation the kind
   * @return the number since the disk was created
   */
  public long count(Operation operation) {
    lock.lock();
    try {
      return counts.getOrDefault(operation, 0L);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    pass(Operation.OPEN, file);
    return new FaultyFile(file, disk.open(file, mode));
  }

  @Override
  public boolean exists(Path path) {
    return disk.exists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    pass(Operation.LIST, directory);
    return disk.list(directory);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    pass(Operation.CREATE_DIRECTORIES, directory);
    disk.createDirectories(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    pass(Operation.DELETE, file);
    long sizeBytes = isLimited() ? sizeBytes(file) : 0;
    disk.delete(file);
    giveBack(sizeBytes);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    pass(Operation.MOVE, from);
    long replacedBytes = isLimited() ? sizeBytes(to) : 0;
    disk.move(from, to);
    giveBack(replacedBytes);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    pass(Operation.FORCE_DIRECTORY, directory);
    disk.forceDirectory(directory);
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    pass(Operation.USABLE_BYTES, directory);
    long usable = disk.usableBytes(directory);
    lock.lock();
    try {
      return Math.min(usable, freeBytes);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long totalBytes(Path directory) throws IOException {
    return disk.totalBytes(directory);
  }

  @Override
  public boolean isWritable(Path directory) {
    return !isReadOnly && disk.isWritable(directory);
  }

  private void plan(Operation operation, long nth, int effectiveBytes) {
    if (nth < 1) {
      throw new IllegalArgumentException("nth counts from 1: " + nth);
    }
    lock.lock();
    try {
      faults.put(new Place(operation, counts.getOrDefault(operation, 0L) + nth), effectiveBytes);
    } finally {
      lock.unlock();
    }
  }

  /** Counts an operation and returns, or fails. */
  private void pass(Operation operation, Path path) throws IOException {
    if (faultOf(operation, path).isPresent()) {
      throw new IOException("Injected failure of " + operation + ": " + path);
    }
  }

  /** Counts an operation; if it is to fail, returns how many of its bytes still take effect. */
  private OptionalInt faultOf(Operation operation, Path path) {
    lock.lock();
    try {
      if (!affected.test(path)) {
        return OptionalInt.empty();
      }
      long number = counts.merge(operation, 1L, Long::sum);
      Integer effectiveBytes = faults.remove(new Place(operation, number));
      return effectiveBytes == null ? OptionalInt.empty() : OptionalInt.of(effectiveBytes);
    } finally {
      lock.unlock();
    }
  }

  private boolean isLimited() {
    lock.lock();
    try {
      return freeBytes != UNLIMITED;
    } finally {
      lock.unlock();
    }
  }

  /** Reserves space for a file to grow; returns how much is available. */
  private long takeSpace(long wantedBytes) {
    lock.lock();
    try {
      if (freeBytes == UNLIMITED) {
        return wantedBytes;
      }
      long granted = Math.min(wantedBytes, freeBytes);
      freeBytes -= granted;
      return granted;
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(long bytes) {
    lock.lock();
    try {
      if (freeBytes != UNLIMITED) {
        freeBytes += bytes;
      }
    } finally {
      lock.unlock();
    }
  }

  private long sizeBytes(Path file) throws IOException {
    if (!disk.exists(file)) {
      return 0;
    }
    try (DiskFile opened = disk.open(file, Mode.READ)) {
      return opened.size();
    }
  }

  private record Place(Operation operation, long number) {}

  /** An open file of this disk. Thread rules as for {@link DiskFile}. */
  private final class FaultyFile implements DiskFile {
    private final Path path;
    private final DiskFile file;

    FaultyFile(Path path, DiskFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      pass(Operation.READ, path);
      return file.read(target, targetOffset, lengthBytes, offsetBytes);
    }

    @Override
    public void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      OptionalInt fault = faultOf(Operation.WRITE, path);
      if (fault.isPresent()) {
        int written = Math.min(fault.getAsInt(), lengthBytes);
        file.write(source, sourceOffset, written, offsetBytes);
        throw new IOException(
            "Injected failure of WRITE after "
                + written
                + " of "
                + lengthBytes
                + " bytes: "
                + path);
      }
      int fitting = fittingBytes(lengthBytes, offsetBytes);
      file.write(source, sourceOffset, fitting, offsetBytes);
      if (fitting < lengthBytes) {
        throw new IOException("No space left on device (injected): " + path);
      }
    }

    private int fittingBytes(int lengthBytes, long offsetBytes) throws IOException {
      if (!isLimited()) {
        return lengthBytes;
      }
      long growthBytes = Math.max(0, offsetBytes + lengthBytes - file.size());
      long missingBytes = growthBytes - takeSpace(growthBytes);
      return (int) Math.max(0, lengthBytes - missingBytes);
    }

    @Override
    public void force() throws IOException {
      pass(Operation.FORCE, path);
      delay(forceDelayNanos);
      file.force();
    }

    /** A park may end early, so it is repeated until the time is over. */
    private static void delay(long delayNanos) {
      long start = System.nanoTime();
      for (long left = delayNanos; left > 0; left = delayNanos - (System.nanoTime() - start)) {
        LockSupport.parkNanos(left);
      }
    }

    @Override
    public long size() throws IOException {
      pass(Operation.SIZE, path);
      return file.size();
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      pass(Operation.TRUNCATE, path);
      long before = isLimited() ? file.size() : sizeBytes;
      file.truncate(sizeBytes);
      giveBack(before - sizeBytes);
    }

    @Override
    public void close() throws IOException {
      file.close();
      pass(Operation.CLOSE, path);
    }
  }
}
