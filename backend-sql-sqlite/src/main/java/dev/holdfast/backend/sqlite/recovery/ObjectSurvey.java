package dev.holdfast.backend.sqlite.recovery;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.catalog.CatalogSource;
import dev.holdfast.backend.sqlite.database.DatabaseEraser;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.save.FileRebuilder;
import dev.holdfast.backend.sqlite.wal.Unsaved;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogChange;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the content of a catalog from the files of all objects, one after the other. Use it when
 * they have been recovered and before the first turn. Confined to the thread that recovers.
 */
public final class ObjectSurvey implements CatalogSource {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final ObjectFiles files;
  private final SqliteLibrary library;
  private final FileRebuilder rebuilder;
  private final Unsaved unsaved;
  private final Predicate<ObjectKey> lacksParts;
  private final LongSupplier journalEnd;

  /**
   * @param unsaved the batches of objects that recovery has redone, and not saved
   * @param lacksParts whether it is not known which batches the file of an object has
   * @param journalEnd the last position of the journal
   */
  public ObjectSurvey(
      ObjectFiles files,
      SqliteLibrary library,
      FileRebuilder rebuilder,
      Unsaved unsaved,
      Predicate<ObjectKey> lacksParts,
      LongSupplier journalEnd) {
    this.unsaved = unsaved;
    this.lacksParts = lacksParts;
    this.journalEnd = journalEnd;
    this.files = files;
    this.library = library;
    this.rebuilder = rebuilder;
  }

  @Override
  public boolean hasObjects() throws IOException {
    return files.hasAny();
  }

  @Override
  public void forEach(Visitor visitor) throws IOException, SqliteException {
    SqliteException[] failure = new SqliteException[1];
    files.forEach(
        (key, file) -> {
          try {
            Found found = read(key, file);
            if (found != null) {
              visitor.visit(key, found.change(), found.state());
            }
            return true;
          } catch (SqliteException e) {
            failure[0] = e;
            return false;
          }
        });
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  private record Found(@Nullable CatalogChange change, @Nullable SavedState state) {}

  /**
   * {@return the content and the state of a file; null if it belongs to no object, or cannot be
   * read}
   */
  private @Nullable Found read(ObjectKey key, Path file) {
    FileRebuilder.Past known = rebuilder.past(key);
    // Otherwise the file was saved later, by a round whose records are gone: the state is not its.
    boolean isIts = known == null || known.isLast() || unsaved.state(key) != null;
    FileRebuilder.Past past = isIts ? known : null;
    try {
      if (past != null && past.isLast() && !isOrBecomes(past.state(), key, file)) {
        LOG.log(
            Level.WARNING,
            () ->
                "The object in "
                    + file
                    + " is refused: the file is not the one that was saved at position "
                    + past.state().position()
                    + ". Its alarms are not known, and will not fire. Restore the file from a"
                    + " copy of the data directory, remove catalog.sqlite, and open the runtime"
                    + " again.");
        return new Found(new CatalogChange(true, null, null), past.state());
      }
      if (file.toFile().length() == 0 || files.prepare(file) == 0) {
        return null; // an emptied file stays as it is, to be refused when its object is used
      }
      files.removeWal(file); // what recovery did not see may have been lost by the journal
      ObjectConnection connection = ObjectConnection.open(library, file);
      try {
        List<AlarmRecord> alarms = connection.alarms().read();
        CatalogChange change =
            alarms.isEmpty() && DatabaseEraser.isErased(connection)
                ? null
                : new CatalogChange(true, null, new CatalogChange.Alarms(alarms, List.of()));
        if (lacksParts.test(key)) {
          return new Found(change, null); // a state would say that the file has the batch
        }
        // Its earlier state is lost with the catalog, unless the journal has it.
        return new Found(
            change,
            past != null && !past.isLast()
                ? past.state()
                : files
                    .readSums(file, file.toFile().length())
                    .save(past == null ? lastBatch(key) : past.state().position()));
      } finally {
        connection.connection().closeWithoutCheckpoint();
        files.removeWal(file);
      }
    } catch (SqliteException | IOException | RuntimeException e) {
      // One damaged object must not prevent all others from being found.
      LOG.log(
          Level.WARNING,
          () ->
              "The alarms of the object in "
                  + file
                  + " could not be read, and will not fire. Restore the file, remove"
                  + " catalog.sqlite, and open the runtime again.",
          e);
      return null;
    }
  }

  /**
   * {@return the last batch of an object; if the journal has none any more, a position of no batch
   * of it: so no earlier state is given out}
   */
  private long lastBatch(ObjectKey key) {
    long redone = unsaved.lastBatch(key);
    if (redone != Journal.START) {
      return redone; // a later position would make its file newer than what is to be saved
    }
    Long kept = rebuilder.lastBatch(key);
    return kept == null ? journalEnd.getAsLong() : kept;
  }

  /** {@return whether a file is as it was saved, or could be rebuilt} */
  private boolean isOrBecomes(SavedState state, ObjectKey key, Path file) throws IOException {
    return files.isSaved(file, state) || rebuilder.rebuild(key, file, state, state.position());
  }
}
