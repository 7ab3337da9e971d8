package dev.holdfast.backend.sqlite.database;

/** What to do after an error of SQLite, by its text, which is the reference's. Stateless. */
final class SqlAdvice {

  private SqlAdvice() {}

  /** {@return the text, with what to do if that is known} */
  static String after(String text) {
    String advice = of(text);
    return advice == null ? text : text + ". " + advice;
  }

  private static @org.jspecify.annotations.Nullable String of(String text) {
    if (text.contains(": syntax error") || text.startsWith("incomplete input")) {
      return "Correct the statement; it has changed nothing.";
    }
    if (text.startsWith("no such table: _cf_")) {
      return "Tables of this name belong to the runtime; use keys and values for what they store.";
    }
    if (text.startsWith("no such table: ")) {
      return "Correct its name, or create it in a migration of the namespace.";
    }
    if (text.startsWith("no such column: ")) {
      return "Correct its name, or add it in a migration of the namespace; a text is in single"
          + " quotes.";
    }
    if (text.startsWith("no such function: ")) {
      return "Use a function of SQLite, or compute the value before.";
    }
    if (text.startsWith("UNIQUE constraint failed")) {
      return "The row exists already: use another value, or say ON CONFLICT what happens then.";
    }
    if (text.startsWith("NOT NULL constraint failed")) {
      return "Give the column a value, or a DEFAULT.";
    }
    if (text.startsWith("CHECK constraint failed")) {
      return "Use a value that the table allows.";
    }
    if (text.startsWith("FOREIGN KEY constraint failed")) {
      return "Write the row that is referred to first, or delete those that refer to it.";
    }
    return null;
  }
}
