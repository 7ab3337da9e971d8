package dev.holdfast.backend.sqlite.file;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.StoredName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the files of objects are: {@code <root>/<namespace>/<first 3 hex digits of the
 * id>/<id>}{@code .sqlite}. With 4,096 directories, a namespace of millions of objects has no
 * directory with more than a few thousand entries. Thread-safe.
 */
public final class ObjectFiles {

  private static final int PREFIX_DIGITS = 3;
  private static final String SUFFIX = ".sqlite";
  private static final Pattern NAME =
      Pattern.compile("[0-9a-f]{" + 2 * ObjectId.LENGTH_BYTES + "}" + Pattern.quote(SUFFIX));
  private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

  private static final int EMPTY_SUM = PageSums.sum(emptyDatabase(), 0, PageSize.DEFAULT_BYTES);

  private final Disk disk;
  private final Path root;

  private final ObjectDirectories directories;

  /** Files that were replaced, and whose new entries are not known to be durable. */
  private final Set<Path> replaced = ConcurrentHashMap.newKeySet();

  private final SpareLogs spareLogs;

  /** Null, or gives the files of another backend that does not run. */
  private final @Nullable FileOrigin origin;

  public ObjectFiles(Disk disk, Path root) {
    this(disk, root, null);
  }

  /**
   * Creates the files.
   *
   * @param disk where they are
   * @param root their directory
   * @param origin the directory of another backend, from which the file of an object is copied when
   *     it is first needed; null for none
   */
  public ObjectFiles(Disk disk, Path root, @Nullable Path origin) {
    this.origin = origin == null ? null : new FileOrigin(origin);
    this.disk = disk;
    this.root = root;
    this.directories = new ObjectDirectories(disk, root);
    this.spareLogs = new SpareLogs(root);
  }

  /** Creates the root, durably. Call it once, before anything else. */
  public void ensureRoot() throws IOException {
    directories.ensureRoot();
    spareLogs.takeOver();
  }

  public Path root() {
    return root;
  }

  /** {@return the database file of an object} */
  public Path database(ObjectKey key) {
    Path file = below(root, key);
    if (origin != null) {
      origin.copy(key, below(origin.root(), key), file, directories);
    }
    return file;
  }

  /** A journal may come from a backup or an archive that others can write. */
  private static Path below(Path root, ObjectKey key) {
    if (!StoredName.isDirectory(key.namespace())) {
      throw new DataDirectoryException(
          root,
          "A record of the journal is about a namespace that cannot be one, so Holdfast has not"
              + " written the journal. Do not use it",
          null);
    }
    String id = key.id().toString();
    return root.resolve(key.namespace())
        .resolve(id.substring(0, PREFIX_DIGITS))
        .resolve(id + SUFFIX);
  }

  /** {@return whether the file of an object exists} */
  public boolean hasDatabase(ObjectKey key) {
    return disk.exists(database(key));
  }

  /** Visits database files. */
  @FunctionalInterface
  public interface Visitor {

    /** {@return whether to continue} */
    boolean visit(ObjectKey key, Path database) throws IOException;
  }

  /**
   * Visits all existing database files, in no particular order.
   *
   * @return whether all were visited
   */
  public boolean forEach(Visitor visitor) throws IOException {
    if (origin != null) {
      // Then the own files are all, with those that recovery has made.
      forEach(origin.root(), (key, _) -> database(key) != null);
    }
    return forEach(root, visitor);
  }

  /** {@return whether there is the file of an object} */
  public boolean hasAny() throws IOException {
    return !forEach(root, (_, _) -> false)
        || (origin != null && !forEach(origin.root(), (_, _) -> false));
  }

  private boolean forEach(Path root, Visitor visitor) throws IOException {
    for (Path namespace : disk.list(root)) {
      for (Path prefix : directories(namespace)) {
        for (Path file : disk.list(prefix)) {
          ObjectKey key = keyOf(namespace, file);
          if (key != null && !visitor.visit(key, file)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private List<Path> directories(Path path) throws IOException {
    return path.toFile().isDirectory()
        ? disk.list(path).stream().filter(each -> each.toFile().isDirectory()).toList()
        : List.of();
  }

  private static @Nullable ObjectKey keyOf(Path namespace, Path file) {
    String name = String.valueOf(file.getFileName());
    if (!NAME.matcher(name).matches()) {
      return null;
    }
    byte[] id = HexFormat.of().parseHex(name, 0, 2 * ObjectId.LENGTH_BYTES);
    return new ObjectKey(String.valueOf(namespace.getFileName()), ObjectId.of(id, null));
  }

  /** {@return the write-ahead log of a database file} */
  public static Path wal(Path database) {
    return database.resolveSibling(database.getFileName() + "-wal");
  }

  /**
   * Ensures that the database file exists.
   *
   * @return its size in bytes; 0 if this call created it
   */
  public long prepare(Path database) throws IOException {
    long sizeBytes = database.toFile().length();
    if (sizeBytes <= PageSize.DEFAULT_BYTES && !isDatabase(database, sizeBytes)) {
      makeEmpty(database);
      sizeBytes = 0;
    }
    return sizeBytes;
  }

  /** Deletes the logs that no database uses, and each other one when its database is closed. */
  public void discardSpareLogs() throws IOException {
    spareLogs.discard();
  }

  /**
   * Ensures that a database that is about to be opened has no log, or an empty one. An existing log
   * was left by an unclean stop and may hold commits that the journal does not have.
   *
   * @return the file lent as its log; null if SQLite is to create it
   */
  public SpareLogs.@Nullable Lent prepareLog(Path database) throws IOException {
    SpareLogs.Lent lent = spareLogs.lend(wal(database));
    if (lent == null) {
      removeWal(database);
    }
    return lent;
  }

  /**
   * {@return the checksums of a file of one page}
   *
   * @param sizeBytes 0 if the file was just created
   */
  public PageSums readSums(Path database, long sizeBytes) throws IOException {
    if (sizeBytes > 0) {
      return PageFile.sums(disk, database);
    }
    return emptySums();
  }

  /** {@return the checksums of a database that has no file yet} */
  public static PageSums emptySums() {
    PageSums sums = new PageSums(PageSize.DEFAULT_BYTES, 1);
    sums.set(1, EMPTY_SUM);
    sums.nothingKept();
    sums.setChecked();
    return sums;
  }

  /**
   * Reads all of a small file.
   *
   * @param database the file
   * @param sums what it should be
   * @return its bytes
   * @throws FileRefusedException if a page differs
   * @throws IOException if it cannot be read
   */
  public byte[] read(Path database, PageSums sums) throws IOException {
    int pageBytes = sums.pageBytes();
    byte[] image = new byte[Math.toIntExact(sums.fileBytes())];
    try (DiskFile file = disk.open(database, Mode.READ)) {
      int count = file.read(image, 0, image.length, 0);
      for (int page = 1; page <= image.length / pageBytes; page++) {
        int offset = (page - 1) * pageBytes;
        if (offset + pageBytes > count || !sums.has(page, PageSums.sum(image, offset, pageBytes))) {
          throw new FileRefusedException("was damaged while it was opened: page " + page);
        }
      }
    }
    return image;
  }

  /** {@return whether a file that is not open is as it was saved} */
  public boolean isSaved(Path database, SavedState state) throws IOException {
    if (database.toFile().length() != state.fileBytes()) {
      return false;
    }
    try (PageFile file = open(database, Mode.READ, state.pageBytes())) {
      return file.sums(state.pages()).checksum() == state.checksum();
    }
  }

  /** {@return a file for a copy of an object's earlier state; none of this name exists} */
  public Path forImage(long number) throws IOException {
    Path file = root.resolve("image-" + number + ".sqlite");
    disk.delete(file); // of a process that died
    return file;
  }

  /** Deletes a copy of an object's earlier state; no connection has it open. */
  public void deleteImage(Path file) throws IOException {
    disk.delete(file);
    removeWal(file);
  }

  public void removeWal(Path database) throws IOException {
    Path wal = wal(database);
    if (wal.toFile().exists()) {
      disk.delete(wal);
    }
  }

  /** Makes the content of a database file durable. */
  public void force(Path database) throws IOException {
    try (DiskFile file = disk.open(database, Mode.WRITE)) {
      file.force();
    }
  }

  /**
   * Replaces a database file, durably, by another that is durable and in the same directory.
   *
   * @throws IOException if that fails; either file may be there after a crash
   */
  public void replace(Path database, Path made) throws IOException {
    removeWal(database);
    replaced.add(database);
    disk.move(made, database);
    forceEntries(directory(database));
    replaced.remove(database);
  }

  /** {@return whether a file was replaced and its entry may not be durable} */
  public boolean isEntryInDoubt(Path database) {
    return replaced.contains(database);
  }

  /** Makes the entries of a directory of database files durable, and the directory. */
  public void forceEntries(Path directory) throws IOException {
    directories.force(directory);
  }

  /** Opens the pages of a database file to change them without SQLite; it may not exist. */
  public PageFile openToRebuild(Path database, int pageBytes) throws IOException {
    directories.ensure(directory(database));
    return PageFile.open(disk, database, Mode.CREATE, pageBytes);
  }

  /** Opens the pages of a file whose directory exists: a database file or an image. */
  public PageFile open(Path file, Mode mode, int pageBytes) throws IOException {
    return PageFile.open(disk, file, mode, pageBytes);
  }

  /**
   * {@return whether a file of at most one page is a database; if not, it was being created when
   * the machine stopped}
   */
  private boolean isDatabase(Path database, long sizeBytes) throws IOException {
    if (sizeBytes < PageSize.DEFAULT_BYTES) {
      return false;
    }
    byte[] start = new byte[MAGIC.length];
    try (DiskFile file = disk.open(database, Mode.READ)) {
      file.read(start, 0, start.length, 0);
    }
    return Arrays.equals(start, MAGIC);
  }

  private void makeEmpty(Path database) throws IOException {
    directories.ensure(directory(database));
    byte[] page = emptyDatabase();
    try (DiskFile file = disk.open(database, Mode.CREATE)) {
      file.write(page, 0, page.length, 0);
    }
  }

  /** {@return the directory of a database file} */
  public static Path directory(Path database) {
    Path directory = database.getParent();
    if (directory == null) {
      throw new IllegalArgumentException("Not below a root: " + database);
    }
    return directory;
  }

  /**
   * The only page of a database without tables, in write-ahead mode. SQLite would create it in two
   * transactions with a rollback journal, which takes five times as long.
   */
  public static byte[] emptyDatabase() {
    byte[] page = new byte[PageSize.DEFAULT_BYTES];
    System.arraycopy(MAGIC, 0, page, 0, MAGIC.length);
    page[16] = PageSize.DEFAULT_BYTES >> 8;
    page[18] = 2; // written with a write-ahead log
    page[19] = 2; // and read with one
    page[21] = 64; // payload fractions, fixed by the format
    page[22] = 32;
    page[23] = 32;
    page[27] = 1; // change counter
    page[31] = 1; // size in pages
    page[47] = 4; // schema format
    page[59] = 1; // UTF-8
    page[95] = 1; // the change counter for which the size is right
    page[100] = 13; // an empty leaf of the table of the schema
    page[105] = PageSize.DEFAULT_BYTES >> 8; // its content begins at the end of the page
    return page;
  }
}
