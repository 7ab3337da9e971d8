package dev.holdfast.crash;

import static dev.holdfast.crash.Mirror.WINDOW_STEPS;

import dev.holdfast.StorageKind;
import dev.holdfast.crash.Mirror.Note;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.util.ArrayList;
import java.util.List;

/** The notes of a mirror: in a table, or in pairs if the storage has no tables. */
sealed interface Notes {

  static Notes of(ObjectStorage storage, StorageKind kind) {
    return kind.equals(StorageKind.SQLITE) ? new InTable(storage) : new InPairs(storage);
  }

  /** Creates the storage for notes, if it is missing. */
  void prepare();

  /** Adds a note, fails if it exists already, and deletes old notes of the cell. */
  void add(Note note, long number);

  /** {@return the highest number; 0 if there is no note} */
  long lastNumber();

  List<Note> all();

  /** Notes in a table. */
  record InTable(ObjectStorage storage) implements Notes {

    @Override
    public void prepare() {
      storage
          .sql()
          .exec(
              """
              CREATE TABLE IF NOT EXISTS notes (
                cell INTEGER, seq INTEGER, number INTEGER NOT NULL, PRIMARY KEY (cell, seq)
              ) WITHOUT ROWID
              """);
    }

    @Override
    public void add(Note note, long number) {
      // The primary key refuses a second note of one step: a call that ran twice would fail here.
      storage
          .sql()
          .exec(
              "INSERT INTO notes (cell, seq, number) VALUES (?, ?, ?)",
              note.cell(),
              note.seq(),
              number);
      storage
          .sql()
          .exec(
              "DELETE FROM notes WHERE cell = ? AND seq < ?",
              note.cell(),
              note.seq() - WINDOW_STEPS);
    }

    @Override
    public long lastNumber() {
      return storage
          .sql()
          .exec("SELECT coalesce(max(number), 0) AS last FROM notes")
          .one()
          .getLong("last");
    }

    @Override
    public List<Note> all() {
      return storage.sql().exec("SELECT cell, seq FROM notes").stream()
          .map(row -> new Note((int) row.getLong("cell"), row.getLong("seq")))
          .toList();
    }
  }

  /** Notes as pairs, in the order of cell and step. */
  record InPairs(ObjectStorage storage) implements Notes {

    private static final String PREFIX = "note:";

    @Override
    public void prepare() {}

    @Override
    public void add(Note note, long number) {
      String key = key(note);
      if (storage.get(key, Long.class).isPresent()) {
        throw new IllegalStateException("a second " + note);
      }
      storage.put(key, number);
      ListOptions old =
          ListOptions.ALL
              .withStart(key(new Note(note.cell(), 0)))
              .withEnd(key(new Note(note.cell(), Math.max(0, note.seq() - WINDOW_STEPS))));
      // At most one per step, except for the first after a deletion was lost with its turn.
      for (String each : storage.list(old, Long.class).keySet()) {
        storage.delete(each);
      }
    }

    @Override
    public long lastNumber() {
      return storage.list(ListOptions.ALL.withPrefix(PREFIX), Long.class).values().stream()
          .mapToLong(Long::longValue)
          .max()
          .orElse(0);
    }

    @Override
    public List<Note> all() {
      List<Note> notes = new ArrayList<>();
      for (String key :
          storage.list(ListOptions.ALL.withPrefix(PREFIX), Long.class).sequencedKeySet()) {
        String[] words = key.split(":", -1);
        notes.add(new Note(Integer.parseInt(words[1]), Long.parseLong(words[2])));
      }
      return notes;
    }

    private static String key(Note note) {
      return "%s%04d:%012d".formatted(PREFIX, note.cell(), note.seq());
    }
  }
}
