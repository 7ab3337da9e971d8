package dev.holdfast.crash.nodes;

import dev.holdfast.ObjectContext;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A document of several pages, and on SQLite of rows beside them. */
final class DocumentObject implements Document {

  private static final String COUNT = "count";
  private static final String PAGE = "page-";

  /** As many pages as there are at most; each write replaces one and tears out another. */
  private static final int PAGES = 7;

  private static final int ROWS = 40;

  /** A page is longer than a page of the database. */
  private static final int REPEATED_MAX = 400;

  private final ObjectStorage storage;
  private final boolean hasTables;

  DocumentObject(ObjectContext context, boolean hasTables) {
    this.storage = context.storage();
    this.hasTables = hasTables;
  }

  @Override
  public void write(String text) {
    long count = storage.get(COUNT, Long.class).orElse(0L);
    storage.put(COUNT, count + 1);
    storage.put(PAGE + count % PAGES, text.repeat((int) (count * 37 % REPEATED_MAX) + 1));
    storage.delete(PAGE + (count + 3) % PAGES);
    if (hasTables) {
      execute("CREATE TABLE IF NOT EXISTS words (id INTEGER PRIMARY KEY, word TEXT)");
      execute("INSERT OR REPLACE INTO words (id, word) VALUES (?, ?)", count % ROWS, text);
      execute("DELETE FROM words WHERE id = ?", (count + 5) % ROWS);
    }
  }

  private void execute(String statement, Object... bindings) {
    storage.sql().exec(statement, bindings);
  }

  @Override
  public String mark() {
    return storage.getCurrentBookmark() + " " + digest();
  }

  @Override
  public String digest() {
    MessageDigest digest = sha256();
    storage
        .list(ListOptions.ALL.withPrefix(PAGE), String.class)
        .forEach((key, page) -> add(digest, key + "=" + page));
    add(digest, COUNT + "=" + storage.get(COUNT, Long.class).orElse(0L));
    if (hasTables) {
      addRows(digest);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private void addRows(MessageDigest digest) {
    storage
        .sql()
        .exec("SELECT id, word FROM words ORDER BY id")
        .raw()
        .forEach(row -> add(digest, String.valueOf(row)));
  }

  private static void add(MessageDigest digest, String text) {
    digest.update((text + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java runtime has SHA-256.", e);
    }
  }
}
