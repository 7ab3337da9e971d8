package dev.holdfast.journal;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.System.Logger.Level;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a second runtime, in this process or another, away from a data directory: a lock of the
 * operating system on the file {@code LOCK} in it, which ends when the process ends, in whatever
 * way.
 *
 * <p>On POSIX systems that lock can vanish while its owner lives: any code that opens and closes
 * {@code LOCK} in the same process ends it, and the file can be deleted. So the owner writes its
 * identity, and the identity of the file, into the file. A process that gets the lock while that
 * owner is alive is refused, unless the file is a copy of the owner's file. The owner checks, with
 * {@link #requireHeld}, that the file still names it.
 *
 * <p>Thread-safe.
 */
public final class DirectoryLock implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  static final String FILE_NAME = "LOCK";

  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rwx------");

  /**
   * Directories locked by this process. A second attempt through the file would not only fail but,
   * on POSIX systems, drop the first lock: closing any descriptor of a file ends all locks that the
   * process has on it.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  /** Files that are locked through another channel of this process, see above. */
  private static final Set<RandomAccessFile> NEVER_CLOSED = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final OwnedFile file; // guarded by this
  private boolean closed; // guarded by this

  /** The open file, and what identifies it. */
  private record OwnedFile(
      Path path, RandomAccessFile opened, @Nullable Object key, DirectoryOwner owner) {}

  private DirectoryLock(Path directory, OwnedFile file) {
    this.directory = directory;
    this.file = file;
  }

  /**
   * Locks a data directory. A missing directory is created, durably. It is private to its owner: a
   * directory that is empty, or was locked before, gets mode 0700, and the change is logged if the
   * mode had been changed since. Any other directory that other users can read causes a warning.
   *
   * @param dataDirectory the directory
   * @param disk the disk that holds it
   * @return the lock; close it when the directory is no longer used
   * @throws DirectoryInUseException if it is locked already, or the process that wrote into the
   *     lock file is alive
   * @throws DataDirectoryException if it cannot be created or written
   */
  public static DirectoryLock acquire(Path dataDirectory, Disk disk) {
    // An interrupt would close the channel while it is being locked.
    boolean interrupted = Thread.interrupted();
    try {
      disk.createDirectories(dataDirectory);
      Path directory = dataDirectory.toRealPath();
      makeDurable(directory, disk);
      keepPrivate(directory);
      return acquireReal(directory);
    } catch (FileAlreadyExistsException e) {
      throw new DataDirectoryException(
          dataDirectory,
          "The data directory cannot be created: "
              + e.getMessage()
              + " is a file; choose another directory",
          e);
    } catch (IOException e) {
      throw new DataDirectoryException(
          dataDirectory,
          "The data directory cannot be created or written ("
              + e.getMessage()
              + "); check its permissions and the free space of its disk, or choose another one",
          e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Nothing in the directory is durable before its own name is. The lock file is created after
   * this, so if it is missing, every directory on the path may be new, created by this process or
   * by one that died before this point.
   */
  private static void makeDurable(Path directory, Disk disk) throws IOException {
    Path parent = directory.getParent();
    if (parent == null) {
      return;
    }
    disk.forceDirectory(parent);
    if (disk.exists(directory.resolve(FILE_NAME))) {
      return;
    }
    for (Path above = parent.getParent(); above != null; above = above.getParent()) {
      try {
        disk.forceDirectory(above);
      } catch (AccessDeniedException e) {
        return; // a process that creates a directory in another can read both: both existed
      }
    }
  }

  private static DirectoryLock acquireReal(Path directory) throws IOException {
    if (!HELD.add(directory)) {
      throw new DirectoryInUseException(directory);
    }
    boolean locked = false;
    try {
      DirectoryLock lock = lockFile(directory);
      locked = true;
      return lock;
    } finally {
      if (!locked) {
        HELD.remove(directory);
      }
    }
  }

  private static DirectoryLock lockFile(Path directory) throws IOException {
    Path file = directory.resolve(FILE_NAME);
    createPrivately(file);
    // Read and written without its channel: an interrupt would close that and end the lock.
    RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
    boolean keepOpen = false;
    try {
      FileLock lock = opened.getChannel().tryLock();
      Object key = fileKey(file);
      if (lock == null || read(opened).isAliveElsewhere(key)) {
        throw new DirectoryInUseException(directory);
      }
      DirectoryOwner owner = DirectoryOwner.ofThisProcess(key);
      write(opened, owner);
      DirectoryLock held = new DirectoryLock(directory, new OwnedFile(file, opened, key, owner));
      keepOpen = true;
      return held;
    } catch (OverlappingFileLockException e) {
      // Locked by this process under another class loader, which has its own registry.
      NEVER_CLOSED.add(opened);
      keepOpen = true;
      throw new DirectoryInUseException(directory);
    } finally {
      if (!keepOpen) {
        opened.close();
      }
    }
  }

  /** {@return whether this process did not use a directory until now; it is locked then} */
  static boolean hold(Path directory) {
    return HELD.add(directory);
  }

  /** Ends what {@link #hold} began. */
  static void release(Path directory) {
    HELD.remove(directory);
  }

  /** {@return whether a process that wrote into the open file is alive} */
  static boolean isOwnerAlive(RandomAccessFile opened, Path file) throws IOException {
    return read(opened).isAliveElsewhere(fileKey(file));
  }

  private static void createPrivately(Path file) throws IOException {
    if (!Files.exists(file)) {
      try {
        FileDisk.createNew(file);
      } catch (FileAlreadyExistsException e) {
        // another runtime was faster; the lock decides which is first
      }
    }
  }

  /**
   * Makes a directory private that was created before, by an older version or by hand. A directory
   * that is not certainly ours, or that belongs to another user, is not changed.
   */
  private static void keepPrivate(Path directory) throws IOException {
    PosixFileAttributeView view =
        Files.getFileAttributeView(directory, PosixFileAttributeView.class);
    if (view == null) {
      return;
    }
    Set<PosixFilePermission> found = view.readAttributes().permissions();
    Set<PosixFilePermission> owners = EnumSet.copyOf(OWNER);
    owners.retainAll(found);
    if (owners.equals(found)) {
      return;
    }
    try {
      boolean isOurs = Files.exists(directory.resolve(FILE_NAME));
      if (isOurs || isEmpty(directory)) {
        view.setPermissions(owners);
        LOG.log(
            isOurs ? Level.INFO : Level.DEBUG,
            () ->
                "The data directory "
                    + directory
                    + " had mode "
                    + PosixFilePermissions.toString(found)
                    + "; it is for its owner alone again. Give other users a copy.");
        return;
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, () -> directory + " keeps its permissions: " + e);
    }
    LOG.log(
        Level.WARNING,
        () ->
            "Other users can read the data directory "
                + directory
                + " ("
                + PosixFilePermissions.toString(found)
                + "). Give it mode 0700.");
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.findAny().isEmpty();
    }
  }

  private static DirectoryOwner read(RandomAccessFile file) throws IOException {
    byte[] content = new byte[DirectoryOwner.BYTES_MAX];
    file.seek(0);
    return DirectoryOwner.decode(content, file.read(content));
  }

  private static void write(RandomAccessFile file, DirectoryOwner owner) throws IOException {
    byte[] content = owner.encode();
    file.seek(0);
    file.write(content);
    file.setLength(content.length);
  }

  /**
   * {@return a key that distinguishes the file from others of the same name; null if the system has
   * none}
   */
  private static @Nullable Object fileKey(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  /**
   * Checks that the directory still belongs to this runtime. Cheap: opens no file.
   *
   * @throws DirectoryInUseException if {@code LOCK} was deleted or replaced, or names another owner
   */
  public synchronized void requireHeld() {
    try {
      // By name, without opening the file: closing it again would end the lock.
      boolean sameFile = Objects.equals(fileKey(file.path()), file.key());
      if (sameFile && !closed && read(file.opened()).equals(file.owner())) {
        return;
      }
    } catch (NoSuchFileException e) {
      throw lost("was deleted");
    } catch (IOException e) {
      throw lost("cannot be read (" + e.getMessage() + ")");
    }
    throw lost("belongs to another runtime now");
  }

  private DirectoryInUseException lost(String what) {
    return new DirectoryInUseException(
        directory,
        "its file LOCK "
            + what
            + " while this runtime had it open, so another one may write there. This one has"
            + " stopped; close it. Keep backups and other programs away from LOCK");
  }

  /** {@return the real path of the locked directory} */
  public Path directory() {
    return directory;
  }

  private boolean isHeld() {
    try {
      requireHeld();
      return true;
    } catch (DirectoryInUseException e) {
      return false; // the present owner is named in the file
    }
  }

  /** Unlocks the directory. Closing twice has no effect. The file stays. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    boolean held = isHeld();
    closed = true;
    try (RandomAccessFile opened = file.opened()) { // closing it also ends the lock
      if (held) {
        write(opened, DirectoryOwner.NOBODY);
      }
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The lock file cannot be closed", e);
    } finally {
      HELD.remove(directory);
    }
  }
}
