package dev.holdfast.faults;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A disk that tracks the state that would survive a power cut, and can write it to another
 * directory.
 *
 * <p>All operations go to a real disk. In addition this disk remembers the content of each file at
 * its last {@link DiskFile#force} and the entries of each directory at its last {@link
 * #forceDirectory}. {@link #writeCrashImage} mixes the remembered and the present state, by a seed:
 *
 * <ul>
 *   <li>data written after the last sync is dropped, kept, or torn: each page of {@value
 *       #PAGE_BYTES} bytes is old or new, and a file that has changed its size has its old size,
 *       its new size, or one between;
 *   <li>a file that was created, renamed, replaced or deleted after the last sync of its directory
 *       is in the state before, in the state after, or, if several changed, in any mixture of both.
 *       A rename is atomic: a replaced name never disappears;
 *   <li>a directory that was created after the last sync of its parent exists or does not, and
 *       nothing in it survives without it, synced or not.
 * </ul>
 *
 * <p>One run gives one image per seed. To stop a run, {@link #cutPowerAfter} makes every operation
 * fail from a given step on; a step is an operation that changes something. A test counts the
 * {@link #steps} of an undisturbed run and then repeats it with a cut before each step.
 *
 * <p>Files that other code, such as SQLite, writes without this disk are included: a sync remembers
 * the content of the real file at that moment, a sync of a directory the entries of the real
 * directory. Native writes are not steps; stop them before an image is written. Directories are
 * neither renamed nor deleted; the directory that holds the tree, and its parents, are durable.
 *
 * <p>Contents are kept in memory, so files should have at most a few megabytes. Needs a file system
 * with inode numbers. Thread-safe; operations run one at a time.
 */
public final class PowerLossDisk implements Disk {

  /** The unit at which a write is torn. */
  public static final int PAGE_BYTES = 4096;

  /** An operation after the power was cut. */
  public static final class PowerLostException extends IOException {

    private static final long serialVersionUID = 1L;

    PowerLostException(String operation) {
      super("The power is off: " + operation);
    }
  }

  /** One file, independent of its names. */
  static final class Inode {

    /** Content at the last sync; null if it was never synced. */
    byte @Nullable [] synced;

    /** Pages that a failed sync dropped: readable, but no later sync writes them. */
    final BitSet givenUp = new BitSet();

    /** Content when its last name was removed; null while it has a name. */
    byte @Nullable [] unlinked;
  }

  private final Disk disk = new FileDisk();
  private final Path root;
  private final int tornBytes;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<Object, Inode> inodesByFileKey = new HashMap<>();
  private final Map<Path, Inode> syncedEntries = new TreeMap<>();
  private final Set<Path> syncedDirectories = new HashSet<>();
  private long steps;
  private long stepsAllowed = Long.MAX_VALUE;
  private @Nullable Predicate<Path> failingForces;
  private String lastStep = "none";

  /**
   * Starts with the content of a directory, which counts as durable.
   *
   * @param root the directory whose crash images can be written; operations elsewhere are refused
   * @throws IOException if it cannot be read
   */
  public PowerLossDisk(Path root) throws IOException {
    this(root, PAGE_BYTES);
  }

  /**
   * Starts with the content of a directory, which counts as durable, on a disk that tears pages.
   *
   * @param root the directory whose crash images can be written; operations elsewhere are refused
   * @param tornBytes the unit at which a write is torn, instead of {@value #PAGE_BYTES}; if it is
   *     smaller, a unit that was being changed may also have neither its old nor its new content
   * @throws IOException if it cannot be read
   */
  public PowerLossDisk(Path root, int tornBytes) throws IOException {
    this.tornBytes = tornBytes;
    this.root = root.toAbsolutePath();
    for (Path file : files()) {
      Inode inode = inodeOf(file);
      inode.synced = Files.readAllBytes(file);
      syncedEntries.put(file, inode);
    }
    syncedDirectories.addAll(directories());
  }

  /** {@return the number of steps executed so far} */
  public long steps() {
    lock.lock();
    try {
      return steps;
    } finally {
      lock.unlock();
    }
  }

  /** {@return the last executed step, for messages} */
  public String lastStep() {
    lock.lock();
    try {
      return lastStep;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Cuts the power after {@code stepCount} steps, counted from the start: the next step and all
   * later operations fail with {@link PowerLostException} and do nothing.
   *
   * @param stepCount the number of steps; with the result of {@link #steps}, the power is off at
   *     once
   */
  public void cutPowerAfter(long stepCount) {
    lock.lock();
    try {
      stepsAllowed = stepCount;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes the next {@link DiskFile#force} of some files fail as on Linux: data written before it
   * can still be read, but counts as clean, so that no later sync makes it durable unless it is
   * written again.
   *
   * @param files the files whose next sync fails; other files may be synced in the background
   *     meanwhile
   */
  public void failNextForce(Predicate<Path> files) {
    lock.lock();
    try {
      failingForces = files;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Records that other code has made a file durable by a separate sync.
   *
   * @param file the file, under any of its names
   * @throws IOException if it cannot be read
   */
  public void madeDurable(Path file) throws IOException {
    lock.lock();
    try {
      inodeOf(file).synced = Files.readAllBytes(file);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Writes the state that would survive a power cut now.
   *
   * @param target a directory that does not exist or is empty
   * @param seed decides what survives
   * @throws IOException if that fails
   */
  public void writeCrashImage(Path target, long seed) throws IOException {
    lock.lock();
    try {
      Map<Path, Inode> current = new TreeMap<>();
      for (Path file : files()) {
        current.put(file, inodeOf(file));
      }
      CrashImage image = new CrashImage(seed, syncedEntries, current, tornBytes);
      Set<Path> directories = image.directories(root, directories(), syncedDirectories);
      for (Path directory : directories) {
        Files.createDirectories(target.resolve(root.relativize(directory).toString()));
      }
      for (Map.Entry<Path, Inode> survivor : image.entries().entrySet()) {
        if (directories.contains(survivor.getKey().getParent())) {
          Path file = target.resolve(root.relativize(survivor.getKey()).toString());
          Files.write(
              file, image.content(survivor.getValue(), contentOf(survivor.getValue(), current)));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private static byte[] contentOf(Inode inode, Map<Path, Inode> current) throws IOException {
    for (Map.Entry<Path, Inode> entry : current.entrySet()) {
      if (entry.getValue() == inode) {
        return Files.readAllBytes(entry.getKey());
      }
    }
    byte[] unlinked = inode.unlinked;
    byte[] synced = inode.synced;
    return unlinked != null ? unlinked : synced != null ? synced : new byte[0];
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      return paths.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private List<Path> directories() throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      return paths.filter(Files::isDirectory).sorted().toList();
    }
  }

  private Inode inodeOf(Path file) throws IOException {
    Object key = Files.getAttribute(file, "unix:ino");
    return inodesByFileKey.computeIfAbsent(key, _ -> new Inode());
  }

  /** Remembers a file that is about to lose its last name. */
  private void unlink(Path file) throws IOException {
    if (Files.isRegularFile(file) && (int) Files.getAttribute(file, "unix:nlink") == 1) {
      Inode inode = inodeOf(file);
      inode.unlinked = Files.readAllBytes(file);
      inodesByFileKey.values().remove(inode); // the number may be given to another file
    }
  }

  private void step(String operation, Path path) throws IOException {
    if (!path.toAbsolutePath().startsWith(root)) {
      throw new IllegalArgumentException(path + " is not below " + root);
    }
    String description = operation + " " + root.relativize(path.toAbsolutePath());
    if (steps >= stepsAllowed) {
      throw new PowerLostException(description);
    }
    steps++;
    lastStep = description;
  }

  private void checkPower(String operation) throws PowerLostException {
    if (steps >= stepsAllowed) {
      throw new PowerLostException(operation);
    }
  }

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    Path path = file.toAbsolutePath();
    lock.lock();
    try {
      if (mode == Mode.CREATE && !disk.exists(path)) {
        step("create", path);
      } else {
        checkPower("open");
      }
      return new TrackedFile(path, disk.open(path, mode));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean exists(Path path) {
    return disk.exists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    lock.lock();
    try {
      checkPower("list");
      return disk.list(directory);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    lock.lock();
    try {
      createMissing(directory.toAbsolutePath());
    } finally {
      lock.unlock();
    }
  }

  private void createMissing(Path directory) throws IOException {
    Path parent = directory.getParent();
    if (disk.exists(directory) || parent == null) {
      checkPower("create directory");
      return;
    }
    createMissing(parent);
    step("create directory", directory);
    disk.createDirectories(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    lock.lock();
    try {
      step("delete", file);
      unlink(file);
      disk.delete(file);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives a file a further name; durable after {@link #forceDirectory} of the directory of the
   * name. A power cut leaves the names that were added after the last sync all or none.
   *
   * @param file the file
   * @param name the further name; must not exist
   * @throws IOException if the name exists, or cannot be added
   */
  public void link(Path file, Path name) throws IOException {
    lock.lock();
    try {
      step("link as " + name.getFileName() + " of", file);
      inodeOf(file);
      Files.createLink(name, file);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    lock.lock();
    try {
      step("move to " + to.getFileName() + " from", from);
      if (!Files.exists(from)) {
        throw new NoSuchFileException(from.toString());
      }
      inodeOf(from);
      unlink(to);
      disk.move(from, to);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    Path path = directory.toAbsolutePath();
    lock.lock();
    try {
      if (root.startsWith(path) && !root.equals(path)) {
        checkPower("force directory"); // directories above the tree are never lost
        return;
      }
      step("force directory", path);
      syncedEntries.keySet().removeIf(file -> path.equals(file.getParent()));
      for (Path file : disk.list(path)) {
        if (Files.isDirectory(file)) {
          syncedDirectories.add(file);
        } else if (Files.isRegularFile(file)) {
          rememberEntry(file);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void rememberEntry(Path file) throws IOException {
    Inode inode;
    try {
      inode = inodeOf(file);
    } catch (NoSuchFileException e) {
      return; // other code, such as SQLite, has deleted it since the directory was read
    }
    syncedEntries.put(file, inode);
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return disk.usableBytes(directory);
  }

  @Override
  public long totalBytes(Path directory) throws IOException {
    return disk.totalBytes(directory);
  }

  @Override
  public boolean isWritable(Path directory) {
    return disk.isWritable(directory);
  }

  /** An open file; thread rules as for {@link DiskFile}. */
  private final class TrackedFile implements DiskFile {
    private final Path path;
    private final DiskFile file;
    private final Inode inode;

    TrackedFile(Path path, DiskFile file) throws IOException {
      this.path = path;
      this.file = file;
      this.inode = inodeOf(path);
    }

    @Override
    public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      lock.lock();
      try {
        checkPower("read");
        return file.read(target, targetOffset, lengthBytes, offsetBytes);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      lock.lock();
      try {
        step("write", path);
        file.write(source, sourceOffset, lengthBytes, offsetBytes);
        int firstPage = Math.toIntExact(offsetBytes / PAGE_BYTES);
        int endPage = Math.toIntExact((offsetBytes + lengthBytes + PAGE_BYTES - 1) / PAGE_BYTES);
        inode.givenUp.clear(firstPage, endPage);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void force() throws IOException {
      lock.lock();
      try {
        step("force", path);
        byte[] content = new byte[Math.toIntExact(file.size())];
        int read = file.read(content, 0, content.length, 0);
        if (read != content.length) {
          throw new IOException(path + " changed its size while it was synced");
        }
        if (failingForces != null && failingForces.test(path)) {
          failingForces = null;
          giveUpDirtyPages(content);
          throw new IOException("Injected failure of a sync: " + path);
        }
        inode.synced = CrashImage.withPages(content, inode.synced, inode.givenUp);
      } finally {
        lock.unlock();
      }
    }

    private void giveUpDirtyPages(byte[] content) {
      byte[] synced = inode.synced == null ? new byte[0] : inode.synced;
      for (int page = 0; page * PAGE_BYTES < content.length; page++) {
        int start = page * PAGE_BYTES;
        int end = Math.min(content.length, start + PAGE_BYTES);
        if (end > synced.length || !Arrays.equals(content, start, end, synced, start, end)) {
          inode.givenUp.set(page);
        }
      }
    }

    @Override
    public long size() throws IOException {
      lock.lock();
      try {
        checkPower("size");
        return file.size();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      lock.lock();
      try {
        step("truncate", path);
        file.truncate(sizeBytes);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
