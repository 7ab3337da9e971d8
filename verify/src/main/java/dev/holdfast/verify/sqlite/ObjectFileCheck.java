package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.verify.FindingKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Compares the pages of an object's file with what they must be. Used by one thread. */
final class ObjectFileCheck {

  private final ObjectFiles files;
  private final @Nullable CatalogSurvey catalog;

  /**
   * @param catalog has the checksums of single pages; null if it is lost
   */
  ObjectFileCheck(ObjectFiles files, @Nullable CatalogSurvey catalog) {
    this.files = files;
    this.catalog = catalog;
  }

  /** Damage to the file of an object, until it is known whether the journal can rebuild it. */
  record Damage(FindingKind kind, long offset, String meaning) {}

  /** Ends the check of an object: its file is damaged. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1;
    final transient Damage damage;

    Refused(FindingKind kind, long offset, String meaning) {
      super(meaning);
      this.damage = new Damage(kind, offset, meaning);
    }
  }

  /** A file without later batches must be as it was saved. */
  void checkSaved(ObjectKey key, Path file, SavedState state)
      throws Refused, IOException, SqliteException {
    if (!Files.exists(file)) {
      throw new Refused(
          FindingKind.OBJECT_MISSING,
          0,
          "The file is missing; it was saved with " + state.fileBytes() + " bytes.");
    }
    long bytes = Files.size(file);
    if (bytes != state.fileBytes()) {
      throw new Refused(
          FindingKind.OBJECT_DAMAGED,
          Math.min(bytes, state.fileBytes()),
          "The file has "
              + bytes
              + " bytes; it was saved with "
              + state.fileBytes()
              + " at position "
              + state.position()
              + ".");
    }
    if (files.isSaved(file, state)) {
      return;
    }
    PageSums sums = catalog == null ? null : catalog.pageSums(key, state);
    int[] page = {0};
    if (sums != null) {
      try (PageFile opened = files.open(file, Mode.READ, state.pageBytes())) {
        opened.forEach(
            1,
            state.pages(),
            (number, sum) -> {
              if (page[0] == 0 && !sums.has(number, sum)) {
                page[0] = number;
              }
            });
      }
    }
    throw new Refused(
        FindingKind.OBJECT_DAMAGED,
        page[0] == 0 ? 0 : (page[0] - 1L) * state.pageBytes(),
        (page[0] == 0 ? "The checksum of the file" : "Page " + page[0])
            + " is not the one of its saved state at position "
            + state.position()
            + ".");
  }

  /** Pages that no batch wrote must be there, and as they were saved. */
  void checkRecovered(ObjectKey key, Replay.Image image, @Nullable SavedState state)
      throws Refused, IOException, SqliteException {
    requireBase(files.database(key), image);
    PageSums sums = state == null || catalog == null ? null : catalog.pageSums(key, state);
    if (state == null || sums == null || state.pageBytes() != image.pageBytes()) {
      return;
    }
    int[] page = {0};
    try (PageFile opened = files.open(image.file(), Mode.READ, state.pageBytes())) {
      opened.forEach(
          1,
          image.pages(),
          (number, sum) -> {
            if (page[0] == 0
                && image.redone().isAsSaved(number, state.pages())
                && !sums.has(number, sum)) {
              page[0] = number;
            }
          });
    }
    if (page[0] > 0) {
      throw new Refused(
          Files.exists(files.database(key))
              ? FindingKind.OBJECT_DAMAGED
              : FindingKind.OBJECT_MISSING,
          (page[0] - 1L) * state.pageBytes(),
          "Page "
              + page[0]
              + ", which no later batch writes, is not as it was saved at position "
              + state.position()
              + ".");
    }
  }

  /** Recovery refuses a shorter file even if the pages that it lacks are empty ones. */
  private static void requireBase(Path file, Replay.Image image) throws Refused, IOException {
    boolean exists = Files.exists(file);
    long bytes = exists ? Files.size(file) : 0;
    if (!image.mayBeginWith(bytes)) {
      throw new Refused(
          exists ? FindingKind.OBJECT_DAMAGED : FindingKind.OBJECT_MISSING,
          bytes,
          (exists ? "The file has " + bytes + " bytes" : "The file is missing")
              + ", and the batches since it was saved do not write all of the rest.");
    }
  }

  /** Pages that the journal determines must be those of the file. */
  void checkReplayed(Replay.Image image, Path target) throws Refused, IOException {
    byte[] expected = new byte[image.pageBytes()];
    byte[] found = new byte[image.pageBytes()];
    try (PageFile replay = files.open(image.file(), Mode.READ, image.pageBytes());
        PageFile file = files.open(target, Mode.READ, image.pageBytes())) {
      if (file.sizeBytes() != (long) image.pages() * image.pageBytes()) {
        throw differs(0, "The journal makes a file of " + image.pages() + " pages.");
      }
      for (int page = 1; page <= image.pages(); page++) {
        if (image.isWhole(page)) {
          replay.read(page, expected);
          file.read(page, found);
          if (!Arrays.equals(expected, found)) {
            throw differs(
                (page - 1L) * image.pageBytes(),
                "Page " + page + " differs from what the journal makes of it.");
          }
        }
      }
    }
  }

  private static Refused differs(long offset, String meaning) {
    return new Refused(FindingKind.OBJECT_DIFFERS, offset, meaning);
  }
}
