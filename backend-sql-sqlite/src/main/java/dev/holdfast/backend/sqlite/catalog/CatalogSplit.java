package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.file.CatalogState;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** Makes the catalog of some of the objects of others. Stateless. */
public final class CatalogSplit {

  private CatalogSplit() {}

  /** Opens a catalog when it is needed. */
  @FunctionalInterface
  public interface Source {

    /**
     * {@return the catalog, open until the next one is opened}
     *
     * @throws IOException if it cannot be read
     * @throws SqliteException if it is damaged
     */
    CatalogSurvey open() throws IOException, SqliteException;
  }

  /**
   * A catalog that is read.
   *
   * @param source opens it
   * @param positions gives the position in the new journal of the last record there that is at a
   *     position of the journal beside this catalog, or before it
   */
  public record Part(Source source, LongUnaryOperator positions) {}

  /**
   * Writes a catalog durably. It has no mark, as one that was never saved; the journal beside it
   * must get its state, and have no marks.
   *
   * @param parts the other catalogs, which have no object in common
   * @param disk where the new one is
   * @param file the new one; missing
   * @param firstId the bytes with which the ids of its objects begin
   * @param endId the bytes before which they end
   * @return the state of the file, for the journal
   * @throws IOException if the file cannot be written
   * @throws SqliteException if a source is damaged
   */
  public static CatalogState write(
      List<Part> parts, Disk disk, Path file, byte[] firstId, byte[] endId)
      throws IOException, SqliteException {
    List<CatalogState> states = new ArrayList<>(1);
    CatalogDatabase.make(
        SqliteLibrary.jdbc(),
        disk,
        file,
        tables -> {
          for (Part each : parts) {
            CatalogSurvey source = each.source().open();
            source.forEachState(
                firstId,
                endId,
                (key, state) -> tables.saved().put(key, moved(state, each.positions())));
            source.forEachEntry(firstId, endId, tables::apply);
          }
        },
        states::add);
    return states.getFirst();
  }

  private static SavedState moved(SavedState state, LongUnaryOperator positions) {
    return new SavedState(
        positions.applyAsLong(state.position()),
        state.pageBytes(),
        state.pages(),
        state.checksum(),
        state.chunks());
  }

  /**
   * {@return the saved state in a checkpoint, as it is beside another journal}
   *
   * @param payload of the checkpoint; not changed
   * @param positions gives the position there
   * @throws IllegalArgumentException if it is malformed
   */
  public static ByteBuffer moved(ByteBuffer payload, LongUnaryOperator positions) {
    return moved(SavedState.decode(payload), positions).encode();
  }
}
