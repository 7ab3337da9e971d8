package dev.holdfast.backend.sqlite.file;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Compares the files of objects with what was saved, before they are opened and before they are
 * saved again. Thread-safe.
 *
 * <p>A file that is in step with the journal must match the catalog. A file that is not must match
 * what this process, or recovery, has written to it since; that is kept here until the file is
 * saved.
 */
public final class SavedFiles {

  /** A larger file is not read as a whole when it is opened. */
  public static final long READ_AT_OPENING_BYTES_MAX = 256 << 10;

  private final Disk disk;
  private final SavedStates states;
  private final Rebuilder rebuilder;
  private final Predicate<ObjectKey> isUnsaved;

  /**
   * The checksums of objects that are not saved, and that are not open or were not when this last
   * changed.
   */
  private final Map<ObjectKey, PageSums> unsaved = new ConcurrentHashMap<>();

  private final Map<ObjectKey, RedonePages> redone = new ConcurrentHashMap<>();

  /** Rebuilds a file from the journal. */
  @FunctionalInterface
  public interface Rebuilder {

    /**
     * Rebuilds the file of an object, if the journal has all that is needed.
     *
     * @param key the object
     * @param file its file; replaced only on success
     * @param state what the file was when it was saved
     * @param lastPosition the last batch that the file must have; not before the position of the
     *     state
     * @return whether the file is that now, durably
     * @throws IOException if it cannot be written
     */
    boolean rebuild(ObjectKey key, Path file, SavedState state, long lastPosition)
        throws IOException;
  }

  /**
   * Creates it; touches no file.
   *
   * @param disk where the files are
   * @param states what was saved
   * @param rebuilder rebuilds files
   * @param isUnsaved whether the journal has batches of an object that are not saved
   */
  public SavedFiles(
      Disk disk, SavedStates states, Rebuilder rebuilder, Predicate<ObjectKey> isUnsaved) {
    this.disk = disk;
    this.states = states;
    this.rebuilder = rebuilder;
    this.isUnsaved = isUnsaved;
  }

  /**
   * Records what recovery has written to a file.
   *
   * @param key the object
   * @param pages the pages
   */
  public void recovered(ObjectKey key, RedonePages pages) {
    redone.put(key, pages);
  }

  /**
   * Checks the file of an object that is about to be opened.
   *
   * @param key the object
   * @param file its file
   * @return the checksums of its pages; null if the file does not exist and never did
   * @throws FileRefusedException if the file is not what it should be, and cannot be rebuilt
   * @throws IOException if it cannot be read
   */
  public @Nullable PageSums check(ObjectKey key, Path file) throws IOException {
    Checked checked = check(key, file, /* imageBytesMax= */ 0);
    return checked == null ? null : checked.sums();
  }

  /**
   * Checks the file of an object that is about to be opened, as {@link #check(ObjectKey, Path)}.
   *
   * @param imageBytesMax up to which length the file is returned if it was read
   */
  public @Nullable Checked check(ObjectKey key, Path file, int imageBytesMax) throws IOException {
    PageSums known = known(key, file);
    if (known != null) {
      if (known.fileBytes() <= imageBytesMax) {
        return new Checked(known, checkedImage(file, known));
      }
      checkNow(file, known, READ_AT_OPENING_BYTES_MAX);
      return new Checked(known, null);
    }
    SavedState state = states.savedState(key);
    if (state == null) {
      requireNoTables(file);
      return null;
    }
    try {
      return saved(key, file, state, imageBytesMax);
    } catch (FileRefusedException e) {
      if (rebuilder.rebuild(key, file, state, state.position())) {
        return saved(key, file, state, imageBytesMax);
      }
      throw e;
    }
  }

  /** A file that was found as it should be. */
  public static final class Checked {

    private final PageSums sums;
    private final byte @Nullable [] image;

    Checked(PageSums sums, byte @Nullable [] image) {
      this.sums = sums;
      this.image = image;
    }

    /** {@return the checksums of its pages} */
    public PageSums sums() {
      return sums;
    }

    /** {@return all of it, for the caller to keep; null if it is too long, or was not read} */
    public byte @Nullable [] image() {
      return image;
    }
  }

  /** Reads and checks a small file that does not change. */
  private byte[] checkedImage(Path file, PageSums sums) throws IOException {
    requireLength(file, sums);
    byte[] image;
    try (PageFile opened = PageFile.open(disk, file, Mode.READ, sums.pageBytes())) {
      image = opened.image(sums.pages());
    }
    for (int page = 1; page <= sums.pages(); page++) {
      checkPage(sums, page, sumOf(image, page, sums.pageBytes()));
    }
    sums.setChecked();
    return image;
  }

  private static int sumOf(byte[] image, int page, int pageBytes) {
    return PageSums.sum(image, (page - 1) * pageBytes, pageBytes);
  }

  /** {@return the expected file of an object that is not saved; null if it is saved} */
  private @Nullable PageSums known(ObjectKey key, Path file) throws IOException {
    RedonePages pages = redone.get(key);
    if (pages != null) {
      // An object may be opened while it is about to be saved.
      synchronized (pages) {
        if (redone.containsKey(key)) {
          if (pages.hasPages()) {
            unsaved.put(key, redoOrRebuild(key, file, pages));
          }
          redone.remove(key);
        }
      }
    }
    return unsaved.get(key);
  }

  private PageSums redoOrRebuild(ObjectKey key, Path file, RedonePages pages) throws IOException {
    try {
      return redo(key, file, pages);
    } catch (FileRefusedException e) {
      SavedState state = states.savedState(key);
      if (state != null && rebuilder.rebuild(key, file, state, pages.position())) {
        return redo(key, file, pages);
      }
      throw e;
    }
  }

  /** Pages that no batch wrote must be as they were saved. */
  private PageSums redo(ObjectKey key, Path file, RedonePages pages) throws IOException {
    SavedState state = states.savedState(key);
    PageSums sums = state == null ? null : states.pageSums(key, state);
    if (state == null || sums == null || state.pageBytes() != pages.pageBytes()) {
      PageSums found = PageFile.sums(disk, file);
      found.reach(pages.position());
      return found;
    }
    PageSums redoing = sums;
    redoing.resize(pages.pages());
    PageFile.forEach(
        disk,
        file,
        pages.pageBytes(),
        (page, sum) -> {
          if (pages.isAsSaved(page, state.pages()) && !redoing.has(page, sum)) {
            throw new FileRefusedException(
                "is not the one that was saved" + at(state) + ": page " + page + " differs");
          }
          redoing.set(page, sum);
        });
    redoing.reach(pages.position());
    redoing.setChecked();
    return redoing;
  }

  /**
   * Records the checksums of a database that was closed.
   *
   * @param key the object
   * @param sums the checksums of its pages
   */
  public void closed(ObjectKey key, PageSums sums) {
    unsaved.compute(key, (_, _) -> isUnsaved.test(key) ? sums : null);
  }

  /**
   * Records that an object was saved.
   *
   * @param key the object
   */
  public void saved(ObjectKey key) {
    unsaved.computeIfPresent(key, (_, sums) -> isUnsaved.test(key) ? sums : null);
  }

  /**
   * Checks all pages of the file of an object that is about to be saved and is not open, and
   * returns their checksums.
   *
   * @param key the object
   * @param file its file
   * @return the checksums
   * @throws FileRefusedException if the file is not what it should be
   * @throws IOException if it cannot be read
   */
  public PageSums toSave(ObjectKey key, Path file) throws IOException {
    PageSums sums = known(key, file);
    if (sums == null) {
      sums = check(key, file);
    }
    if (sums == null) {
      return PageFile.sums(disk, file);
    }
    if (!sums.isChecked()) {
      checkNow(file, sums, Long.MAX_VALUE);
    }
    return sums;
  }

  /**
   * Reads all of a file that may be written meanwhile.
   *
   * @param file the file
   * @param sums what it should be
   * @return the pages that differed; a page that was being written may be among them
   * @throws IOException if it cannot be read
   */
  public BitSet differing(Path file, PageSums sums) throws IOException {
    BitSet pages = new BitSet();
    PageFile.forEach(
        disk, file, sums.pageBytes(), (page, sum) -> pages.set(page, !sums.has(page, sum)));
    return pages;
  }

  /**
   * Checks some pages of a file that does not change now, and thereby the file.
   *
   * @param file the file
   * @param sums what it should be
   * @param pages those that {@link #differing} found
   * @throws FileRefusedException if one differs
   * @throws IOException if it cannot be read
   */
  public void checkAgain(Path file, PageSums sums, BitSet pages) throws IOException {
    for (int page = pages.nextSetBit(0); page >= 0; page = pages.nextSetBit(page + 1)) {
      if (page <= sums.pages()) {
        checkPage(sums, page, PageFile.sum(disk, file, sums.pageBytes(), page));
      }
    }
    if (file.toFile().length() < sums.fileBytes()) {
      throw new FileRefusedException("was truncated to " + file.toFile().length() + " bytes");
    }
    sums.setChecked();
  }

  /** Checks a file that does not change. */
  private void checkNow(Path file, PageSums sums, long readBytesMax) throws IOException {
    requireLength(file, sums);
    if (sums.fileBytes() > readBytesMax) {
      checkPage(sums, 1, PageFile.sum(disk, file, sums.pageBytes(), 1));
      return;
    }
    PageFile.forEach(disk, file, sums.pageBytes(), (page, sum) -> checkPage(sums, page, sum));
    sums.setChecked();
  }

  private static void requireLength(Path file, PageSums sums) throws FileRefusedException {
    long fileBytes = file.toFile().length();
    if (fileBytes != sums.fileBytes()) {
      throw new FileRefusedException(
          (file.toFile().exists() ? "has " + fileBytes + " bytes" : "is missing")
              + "; it was left with "
              + sums.fileBytes());
    }
  }

  private static void checkPage(PageSums sums, int page, int sum) throws FileRefusedException {
    if (!sums.has(page, sum)) {
      throw new FileRefusedException(
          "was damaged: page " + page + " differs from its state at position " + sums.position());
    }
  }

  private static FileRefusedException missing(SavedState state) {
    return new FileRefusedException(
        "is missing; it was saved with " + state.fileBytes() + " bytes" + at(state));
  }

  private static String at(SavedState state) {
    return " at position " + state.position();
  }

  private Checked saved(ObjectKey key, Path file, SavedState state, int imageBytesMax)
      throws IOException {
    boolean isSmall = state.fileBytes() <= READ_AT_OPENING_BYTES_MAX;
    PageSums kept = isSmall ? null : states.pageSums(key, state);
    try (PageFile opened = PageFile.open(disk, file, Mode.READ, state.pageBytes())) {
      long fileBytes = opened.sizeBytes();
      if (fileBytes != state.fileBytes()) {
        throw new FileRefusedException(
            "has " + fileBytes + " bytes; it was saved with " + state.fileBytes() + at(state));
      }
      if (kept != null) {
        checkPage(kept, 1, opened.sum(1));
        return new Checked(kept, null);
      }
      if (fileBytes > imageBytesMax) {
        return new Checked(matching(opened.sums(state.pages()), state), null);
      }
      byte[] image = opened.image(state.pages());
      PageSums sums = new PageSums(state.pageBytes(), state.pages());
      for (int page = 1; page <= state.pages(); page++) {
        sums.set(page, sumOf(image, page, state.pageBytes()));
      }
      return new Checked(matching(sums, state), image);
    } catch (NoSuchFileException e) {
      throw missing(state);
    }
  }

  private static PageSums matching(PageSums sums, SavedState state) throws FileRefusedException {
    if (sums.checksum() != state.checksum()) {
      throw new FileRefusedException(
          "is not the one that was saved" + at(state) + ": its checksum differs");
    }
    sums.nothingKept(); // or possibly: a small file has one chunk
    sums.reach(state.position());
    sums.setChecked();
    return sums;
  }

  /** The object was never saved. A single page holds no table, or was being created. */
  private static void requireNoTables(Path file) throws FileRefusedException {
    long bytes = file.toFile().length();
    if (bytes > PageSize.DEFAULT_BYTES) {
      throw new FileRefusedException(
          "is not of this object: it has " + bytes + " bytes, and none was ever saved");
    }
  }
}
