package dev.holdfast.embedded.sql;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.util.function.Consumer;

/** An object with tables, and its turns: for tests of SQL. */
public final class SqlObject {

  private final Path directory;

  public SqlObject(Path directory) {
    this.directory = directory;
  }

  ObjectRuntime open(NamespaceOptions options) {
    return Runtimes.open(
        directory, objects -> objects.namespace("db", Scripted.class, Scripted::of, options));
  }

  ObjectRuntime open(VirtualClock clock, NamespaceOptions options) {
    return Runtimes.open(
        directory,
        clock,
        objects -> objects.namespace("db", Scripted.class, Scripted::of, options));
  }

  static void in(ObjectRuntime runtime, Consumer<ObjectContext> work) {
    Scripted.in(
        runtime.namespace("db", Scripted.class).getByName("a"),
        context -> {
          work.accept(context);
          return true;
        });
  }

  /** Runs code in one turn of an object. */
  public void run(Consumer<SqlStorage> work) {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      in(runtime, context -> work.accept(context.storage().sql()));
    }
  }

  static SqlCursor threeRows(SqlStorage sql) {
    return sql.exec("VALUES (1, 'x'), (2, 'y'), (3, 'z')");
  }
}
