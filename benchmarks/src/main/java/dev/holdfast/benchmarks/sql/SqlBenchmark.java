package dev.holdfast.benchmarks.sql;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * SQL of an object, compared with a loop over a {@link PreparedStatement} of plain sqlite-jdbc,
 * with the same settings of the file and no sync: a point select by key, an insert of one row of
 * many in one turn, and a scan of 100,000 rows. An operation is a statement, or a row of the scan.
 * The target is 90 % of the loop.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Benchmark)
public class SqlBenchmark {

  /** Rows in the table that is read. */
  static final int ROWS = 100_000;

  private static final int STATEMENTS = 1_000;

  private @Nullable Fixture fixture;

  /** The fixture of one trial. */
  private record Fixture(
      Path directory, ObjectRuntime runtime, ObjectStub<SqlLoops> stub, PlainLoops plain) {}

  /** Creates the benchmark; called by JMH. */
  public SqlBenchmark() {}

  /** Creates both databases. */
  @Setup(Level.Trial)
  public void open() throws IOException, SQLException {
    Path directory = Files.createTempDirectory("holdfast-benchmark");
    ObjectRuntime runtime =
        Holdfast.open(
            directory.resolve("data"),
            objects -> objects.namespace("sql", SqlLoops.class, SqlLoopsObject::new));
    ObjectStub<SqlLoops> stub = runtime.namespace("sql", SqlLoops.class).stub("a");
    stub.blocking().fill(ROWS);
    fixture = new Fixture(directory, runtime, stub, new PlainLoops(directory.resolve("plain.db")));
  }

  /** Closes both and deletes the files. */
  @TearDown(Level.Trial)
  public void close() throws IOException, SQLException {
    fixture().runtime.close();
    fixture().plain.close();
    FileTree.delete(new FileDisk(), fixture().directory);
  }

  private Fixture fixture() {
    return Objects.requireNonNull(fixture, "set up by JMH");
  }

  /** {@return the sum of the results of an object's point selects} */
  @Benchmark
  @OperationsPerInvocation(STATEMENTS)
  public long select() {
    return fixture().stub.blocking().select(STATEMENTS);
  }

  /** {@return the same for the plain loop} */
  @Benchmark
  @OperationsPerInvocation(STATEMENTS)
  public long selectPlain() throws SQLException {
    return fixture().plain.select(STATEMENTS);
  }

  /** {@return the number of rows that an object inserted in one turn} */
  @Benchmark
  @OperationsPerInvocation(STATEMENTS)
  public long insert() {
    return fixture().stub.blocking().insert(STATEMENTS);
  }

  /** {@return the same for the plain loop} */
  @Benchmark
  @OperationsPerInvocation(STATEMENTS)
  public long insertPlain() throws SQLException {
    return fixture().plain.insert(STATEMENTS);
  }

  /** {@return the sum of a column over all rows, read by an object} */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public long scan() {
    return fixture().stub.blocking().scan();
  }

  /** {@return the same for the plain loop} */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public long scanPlain() throws SQLException {
    return fixture().plain.scan();
  }
}
