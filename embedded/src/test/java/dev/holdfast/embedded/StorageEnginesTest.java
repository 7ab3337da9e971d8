package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.StorageKind;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.storage.ObjectStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both storage engines in one runtime, and the features of each. */
class StorageEnginesTest {

  /** Keeps pairs, and passes them on to the object of the same name in another namespace. */
  public interface Box {

    /** Stores a pair here. */
    void put(String key, Object value);

    /** Stores a pair here and in the other namespace. */
    void putInBoth(String other, String key, Object value);

    /** Returns all pairs. */
    Map<String, Object> all();

    /** Commits one transaction, fails in one and rolls one back; returns the remaining pairs. */
    Map<String, Object> transactions();

    /** Returns whether SQL is refused. */
    boolean hasSql();
  }

  static final class BoxObject implements Box {

    private final ObjectContext context;
    private final ObjectStorage storage;

    BoxObject(ObjectContext context) {
      this.context = context;
      this.storage = context.storage();
    }

    @Override
    public void put(String key, Object value) {
      storage.put(key, value);
    }

    @Override
    public void putInBoth(String other, String key, Object value) {
      storage.put(key, value);
      context.namespace(other, Box.class).getByName("a").put(key, value);
    }

    @Override
    public Map<String, Object> all() {
      return storage.list(Object.class);
    }

    @Override
    public Map<String, Object> transactions() {
      storage.put("before", 1L);
      storage.transaction(
          transaction -> {
            transaction.put("committed", 2L);
            return context.await(
                CompletableFuture.completedFuture(transaction.get("before", Long.class)));
          });
      assertThatThrownBy(
              () ->
                  storage.transaction(
                      transaction -> {
                        transaction.put("before", 3L);
                        transaction.delete("committed");
                        throw new IllegalArgumentException("fails");
                      }))
          .isInstanceOf(IllegalArgumentException.class);
      storage.transaction(
          transaction -> {
            transaction.put("before", 4L);
            transaction.rollback();
            assertThatThrownBy(() -> transaction.get("before", Long.class))
                .isInstanceOf(MisuseException.class);
            return storage.transactionSync(() -> storage.delete("nothing"));
          });
      return storage.list(Object.class);
    }

    @Override
    public boolean hasSql() {
      try {
        storage.sql().exec("SELECT 1");
        return true;
      } catch (SqlException e) {
        return false;
      }
    }
  }

  /** Keys, tables and transactions over both. */
  public interface Ledger {

    /** Books an amount: twice without effect, once successfully. */
    List<Long> book(long amount);
  }

  static final class LedgerObject implements Ledger {

    private final ObjectStorage storage;

    LedgerObject(ObjectContext context) {
      this.storage = context.storage();
    }

    @Override
    public List<Long> book(long amount) {
      assertThatThrownBy(
              () ->
                  storage.transactionSync(
                      () -> {
                        write(amount);
                        throw new IllegalStateException("taken back, with the table");
                      }))
          .isInstanceOf(IllegalStateException.class);
      storage.transaction(
          transaction -> {
            write(amount);
            storage.sync();
            transaction.rollback();
            return null;
          });
      assertThat(storage.get("sum", Long.class)).isEmpty();
      storage.transaction(
          _ -> {
            write(amount);
            return null;
          });
      long booked = storage.sql().exec("SELECT amount FROM entries").one().getLong("amount");
      return List.of(storage.get("sum", Long.class).orElseThrow(), booked);
    }

    private void write(long amount) {
      storage.sql().exec("CREATE TABLE entries (amount INTEGER)");
      storage.sql().exec("INSERT INTO entries VALUES (?)", amount);
      storage.put("sum", amount);
    }
  }

  @TempDir Path directory;

  private ObjectRuntime open() {
    return Runtimes.open(
        directory.resolve("data"),
        objects ->
            objects
                .namespace("sqlite", Box.class, BoxObject::new)
                .namespace(
                    "rocksdb",
                    Box.class,
                    BoxObject::new,
                    NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB))
                .namespace("ledgers", Ledger.class, LedgerObject::new));
  }

  private static Box box(ObjectRuntime runtime, StorageKind kind) {
    return runtime.namespace(name(kind), Box.class).getByName("a");
  }

  private static String name(StorageKind kind) {
    return kind.equals(StorageKind.SQLITE) ? "sqlite" : "rocksdb";
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void transactionsRollBackOnBothEngines(StorageKind kind) {
    try (ObjectRuntime runtime = open()) {
      assertThat(box(runtime, kind).transactions())
          .isEqualTo(Map.of("before", 1L, "committed", 2L));
    }
    try (ObjectRuntime runtime = open()) {
      assertThat(box(runtime, kind).all()).isEqualTo(Map.of("before", 1L, "committed", 2L));
    }
  }

  @Test
  void transactionsCoverKeysAndTables() {
    try (ObjectRuntime runtime = open()) {
      assertThat(runtime.namespace("ledgers", Ledger.class).getByName("a").book(7))
          .containsExactly(7L, 7L);
    }
  }

  @Test
  void enginesShareARuntimeAndKeepTheirDataApart() {
    try (ObjectRuntime runtime = open()) {
      box(runtime, StorageKind.SQLITE).putInBoth("rocksdb", "from sqlite", 1L);
      box(runtime, StorageKind.ROCKSDB).putInBoth("sqlite", "from rocksdb", 2L);
      box(runtime, StorageKind.SQLITE).put("own", "sqlite");
      box(runtime, StorageKind.ROCKSDB).put("own", "rocksdb");
      assertThat(box(runtime, StorageKind.SQLITE).hasSql()).isTrue();
      assertThat(box(runtime, StorageKind.ROCKSDB).hasSql()).isFalse();
    }
    try (ObjectRuntime runtime = open()) {
      for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
        assertThat(box(runtime, kind).all())
            .isEqualTo(Map.of("from sqlite", 1L, "from rocksdb", 2L, "own", name(kind)));
      }
    }
  }

  @Test
  void twoRuntimesOfOneProcessDoNotDisturbEachOther() {
    Path other = directory.resolve("other");
    try (ObjectRuntime first = open();
        ObjectRuntime second =
            Runtimes.open(
                other,
                objects ->
                    objects.namespace(
                        "rocksdb",
                        Box.class,
                        BoxObject::new,
                        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)))) {
      box(first, StorageKind.ROCKSDB).put("key", "first");
      box(second, StorageKind.ROCKSDB).put("key", "second");
      assertThat(box(first, StorageKind.ROCKSDB).all()).isEqualTo(Map.of("key", "first"));
      assertThat(box(second, StorageKind.ROCKSDB).all()).isEqualTo(Map.of("key", "second"));
    }
  }

  @Test
  void rocksDbIsOpenedOnlyIfItIsUsedOrThere() {
    Path data = directory.resolve("data");
    try (ObjectRuntime _ =
        Runtimes.open(data, objects -> objects.namespace("sqlite", Box.class, BoxObject::new))) {
      assertThat(data.resolve("rocksdb")).doesNotExist();
    }
    try (ObjectRuntime runtime = open()) {
      box(runtime, StorageKind.ROCKSDB).put("key", 1L);
    }
    // Opened without a namespace that uses it, it stays a view that the journal must not outrun.
    try (ObjectRuntime runtime =
        Runtimes.open(data, objects -> objects.namespace("sqlite", Box.class, BoxObject::new))) {
      assertThat(Files.exists(data.resolve("rocksdb").resolve("LOCK"))).isTrue();
      box(runtime, StorageKind.SQLITE).put("key", 1L);
    }
    try (ObjectRuntime runtime = open()) {
      assertThat(box(runtime, StorageKind.ROCKSDB).all()).isEqualTo(Map.of("key", 1L));
    }
  }
}
