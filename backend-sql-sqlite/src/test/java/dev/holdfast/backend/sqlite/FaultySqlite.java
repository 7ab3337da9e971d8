package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * SQLite, but one run of a statement fails on request: with a chosen error, in one of the states in
 * which SQLite leaves a failed statement. Only for objects, not for the catalog. Thread-safe.
 */
public final class FaultySqlite implements SqliteLibrary {

  /** What the failing statement leaves. */
  public enum Effect {
    /** It did nothing. */
    NONE,
    /** It did everything. */
    ALL,
    /** It did nothing, and rolled back the whole transaction. */
    ROLLBACK
  }

  /** A requested fault. */
  private record Fault(String sqlPrefix, int code, String name, Effect effect) {}

  private static final Set<String> RUNNING = Set.of("start", "run", "step");

  private final SqliteLibrary library = SqliteLibrary.jdbc();
  private final AtomicReference<@Nullable Fault> next = new AtomicReference<>();
  private final AtomicLong prepared = new AtomicLong();
  private final Queue<String> onVirtualThreads = new ConcurrentLinkedQueue<>();
  private volatile String settings = "";

  /** Makes every connection run some statements before each transaction from now on. */
  void beforeTransactions(String sql) {
    settings = sql;
  }

  /** Makes the next run of a statement with such a text fail. */
  public void fail(String sqlPrefix, int code, String name, Effect effect) {
    next.set(new Fault(sqlPrefix, code, name, effect));
  }

  /** {@return the texts of the statements that ran on virtual threads} */
  Queue<String> onVirtualThreads() {
    return onVirtualThreads;
  }

  /** {@return how many statements of objects were compiled} */
  long prepared() {
    return prepared.get();
  }

  /** {@return whether the requested fault has not happened yet} */
  boolean isPending() {
    return next.get() != null;
  }

  @Override
  public SqliteConnection open(Path file) throws SqliteException {
    SqliteConnection connection = library.open(file);
    return file.endsWith("catalog.sqlite") ? connection : faulty(connection);
  }

  @Override
  public SqliteConnection open(byte[] image) throws SqliteException {
    return faulty(library.open(image));
  }

  private SqliteConnection faulty(SqliteConnection connection) {
    return proxy(
        SqliteConnection.class,
        (method, arguments) -> {
          if (method.getName().equals("execute")) {
            return running(connection, (String) arguments[0], connection, method, arguments);
          }
          if (method.getName().equals("prepare")) {
            prepared.incrementAndGet();
          }
          Object result = invoke(connection, method, arguments);
          return result instanceof SqliteStatement statement
              ? faulty(connection, statement, (String) arguments[0])
              : result;
        });
  }

  private SqliteStatement faulty(
      SqliteConnection connection, SqliteStatement statement, String sql) {
    return proxy(
        SqliteStatement.class,
        (method, arguments) ->
            RUNNING.contains(method.getName())
                ? running(connection, sql, statement, method, arguments)
                : invoke(statement, method, arguments));
  }

  private @Nullable Object running(
      SqliteConnection connection,
      String sql,
      Object target,
      Method method,
      @Nullable Object[] arguments)
      throws Throwable {
    if (Thread.currentThread().isVirtual()) {
      onVirtualThreads.add(sql);
    }
    if (sql.equals("BEGIN")) {
      connection.execute(settings);
    }
    Fault fault = next.get();
    if (fault == null || !sql.startsWith(fault.sqlPrefix()) || !next.compareAndSet(fault, null)) {
      return invoke(target, method, arguments);
    }
    switch (fault.effect()) {
      case NONE -> {}
      case ALL -> invoke(target, method, arguments);
      case ROLLBACK -> connection.execute("ROLLBACK");
    }
    throw new SqliteException(fault.code(), fault.name(), "injected", null);
  }

  private static @Nullable Object invoke(Object target, Method method, @Nullable Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, Invocation invocation) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                method.isDefault()
                    ? InvocationHandler.invokeDefault(self, method, arguments)
                    : invocation.invoke(method, arguments == null ? new Object[0] : arguments));
    return type.cast(proxy);
  }

  /** A call of a method. */
  private interface Invocation {
    @Nullable Object invoke(Method method, @Nullable Object[] arguments) throws Throwable;
  }
}
