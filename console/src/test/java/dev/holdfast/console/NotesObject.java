package dev.holdfast.console;

import dev.holdfast.ObjectContext;

/** Has keys, and a table with their values. */
final class NotesObject implements Notes {

  private final ObjectContext context;

  NotesObject(ObjectContext context) {
    this.context = context;
  }

  @Override
  public void put(String key, String value) {
    context.storage().put(key, value);
    context.storage().sql().exec("CREATE TABLE IF NOT EXISTS line (text TEXT)");
    context.storage().sql().exec("INSERT INTO line VALUES (?)", value);
  }

  @Override
  public String get(String key) {
    return context.storage().get(key, String.class).orElse("nothing");
  }

  @Override
  public void sql(String statement) {
    context.storage().sql().exec(statement);
  }
}
