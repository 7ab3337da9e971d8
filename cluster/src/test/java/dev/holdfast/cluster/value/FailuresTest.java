package dev.holdfast.cluster.value;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BookmarkException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.SqlException;
import dev.holdfast.alarm.AbandonAlarmException;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.RemoteObjectException;
import dev.holdfast.cluster.frame.Frame.Thrown;
import dev.holdfast.errors.AlarmException;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.CommitRefusedException;
import dev.holdfast.errors.ConsumerException;
import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.filter.HeadersException;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.OwnershipLostException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serial;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

public final class FailuresTest {

  private static final ObjectId ID = ObjectId.of(new byte[32], "one");
  private static final ObjectId NAMELESS = ObjectId.of(new byte[32], null);
  private static final ObjectId EMPTY = ObjectId.of(new byte[32], "");
  private static final NodeId NODE = new NodeId("b");

  /** An exception of an application. */
  public static final class NoMoneyException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    public NoMoneyException(@Nullable String message) {
      super(message);
    }
  }

  /** An exception that cannot be made from what it says. */
  public static final class OddException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    OddException(int number) {
      super("odd " + number);
    }
  }

  interface Account {
    void take() throws NoMoneyException, OddException;
  }

  private static Throwable travelled(Throwable failure) throws Exception {
    Method method = Account.class.getMethod("take");
    return Failures.remake(Failures.describe(failure), NODE, "accounts", ID, method);
  }

  static final List<Throwable> OF_HOLDFAST =
      List.of(
          new AbandonAlarmException("a", null),
          new AlarmException("n", ID, "a"),
          new ArchiveException("a", null),
          new BookmarkException("n", ID, BookmarkException.Reason.NOT_KEPT, "a"),
          new CallInterruptedException("n", NAMELESS, "a"),
          new ClusterException(ClusterException.Reason.VERSION, "a", null),
          new CommitRefusedException("n", EMPTY, "a", new IllegalStateException("c")),
          new ConsumerException(ConsumerException.Reason.RUNNING, "t", "c", "a"),
          new HeadersException(HeadersException.Reason.COUNT, "a"),
          new InstanceResetException("n", ID, "a", WriteOutcome.UNKNOWN, null),
          new InvalidObjectIdException("a"),
          new JournalFailedException("a", new IOException("c")),
          new MisuseException("n", ID, MisuseException.Reason.DEADLOCK, "a"),
          new NamespaceException("n", "a"),
          new ObjectCallTimeoutException("n", ID, Duration.ofMillis(5), true),
          new ObjectFileException("n", ID, Path.of("f"), "is odd", null),
          new ObjectOverloadedException("n", ID, 7),
          new ObjectUnavailableException(
              "n", ID, ObjectUnavailableException.Delivery.UNKNOWN, "a", null),
          new OwnershipLostException("a"),
          new RemoteObjectException("n", ID, "x.Y", "a: b", null),
          new RemoteObjectException("n", ID, "x.Y", null, null),
          new RuntimeClosedException(),
          new SqlException("n", ID, "a", 19, null),
          new StorageFailedException("n", ID, "a", null),
          new StorageLimitException("n", ID, "a"),
          new UncopyableValueException("n", ID, "a", null));

  @ParameterizedTest
  @FieldSource("OF_HOLDFAST")
  void exceptionOfHoldfastIsMadeAgainWithAllItSays(Throwable failure) throws Exception {
    Throwable made = travelled(failure);

    assertThat(made).hasSameClassAs(failure).hasMessage(failure.getMessage());
    assertThat(made.toString()).isEqualTo(failure.toString());
    assertThat(said(made)).isEqualTo(said(failure));
    assertThat(String.valueOf(made.getCause())).isEqualTo(String.valueOf(failure.getCause()));
    assertThat(made.getSuppressed())
        .singleElement()
        .satisfies(
            stack ->
                assertThat(stack)
                    .hasMessageContaining("on node b:\n\tat ")
                    .hasMessageContaining("FailuresTest"));
  }

  /** What its accessors return. */
  private static List<String> said(Throwable failure) {
    return Arrays.stream(failure.getClass().getMethods())
        .filter(each -> each.getDeclaringClass() != Throwable.class)
        .filter(each -> each.getDeclaringClass() != Object.class)
        .filter(each -> each.getParameterCount() == 0 && !Modifier.isStatic(each.getModifiers()))
        .map(each -> each.getName() + "=" + invoke(each, failure))
        .sorted()
        .toList();
  }

  private static @Nullable Object invoke(Method accessor, Throwable failure) {
    try {
      return accessor.invoke(failure);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void wellKnownExceptionsOfTheJdkAreMadeAgain() throws Exception {
    assertThat(travelled(new IllegalArgumentException("a", new NoSuchElementException("b"))))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessage("a")
        .cause()
        .isExactlyInstanceOf(NoSuchElementException.class)
        .hasMessage("b");
    assertThat(travelled(new NullPointerException())).hasMessage(null);
    assertThat(travelled(new AssertionError("a", new IOException("b"))))
        .isExactlyInstanceOf(AssertionError.class)
        .hasCauseExactlyInstanceOf(IOException.class);
    assertThat(travelled(new UncheckedIOException("a", new IOException("b"))))
        .isExactlyInstanceOf(UncheckedIOException.class)
        .hasCauseExactlyInstanceOf(IOException.class);
  }

  @Test
  void declaredExceptionIsMadeAgain() throws Exception {
    NoMoneyException failure = new NoMoneyException("too poor");
    failure.initCause(new IOException("b"));

    assertThat(travelled(failure))
        .isExactlyInstanceOf(NoMoneyException.class)
        .hasMessage("too poor")
        .hasCauseExactlyInstanceOf(IOException.class);
  }

  @Test
  void everyOtherExceptionIsARemoteOne() throws Exception {
    assertThat(travelled(new OddException(3)))
        .isInstanceOfSatisfying(
            RemoteObjectException.class,
            remote -> assertThat(remote.className()).endsWith("FailuresTest$OddException"))
        .hasMessageContaining("odd 3");
    assertThat(travelled(new IllegalStateException("a", new FileNotFoundException("f"))))
        .hasCauseExactlyInstanceOf(FileNotFoundException.class)
        .cause()
        .hasMessage("f");
  }

  @Test
  void classThatIsNoExceptionIsNotUsed() throws Exception {
    Method method = Account.class.getMethod("take");
    for (String name :
        List.of(
            "java.lang.Thread",
            "no.such.ClassException",
            "dev.holdfast.cluster.value.FailuresTest$Trap",
            "dev.holdfast.errors.JournalCorruptException")) {
      Thrown thrown = new Thrown(name, "m", "", List.of("x"), null);
      assertThat(Failures.remake(thrown, NODE, "accounts", ID, method))
          .isInstanceOf(RemoteObjectException.class);
    }
    assertThat(trapsSprung).isZero();
  }

  private static int trapsSprung;

  /** Says when it is initialised. */
  public static final class Trap {

    static {
      trapsSprung++;
    }

    public Trap(String message) {
      trapsSprung++;
    }
  }

  @Test
  void malformedDetailsMakeARemoteException() throws Exception {
    Method method = Account.class.getMethod("take");
    for (List<String> details :
        List.of(List.<String>of(), List.of("n", "zz", ""), List.of("n", "00", "", "NO"))) {
      Thrown thrown = new Thrown("dev.holdfast.InstanceResetException", "m", "", details, null);
      assertThat(Failures.remake(thrown, NODE, "accounts", ID, method))
          .isInstanceOf(RemoteObjectException.class)
          .hasMessageContaining("dev.holdfast.InstanceResetException: m");
    }
  }

  @Test
  void circleOfCausesEnds() throws Exception {
    IllegalStateException one = new IllegalStateException("one");
    IllegalStateException two = new IllegalStateException("two", one);
    one.initCause(two);

    assertThat(travelled(one)).hasMessage("one").cause().hasMessage("two").hasNoCause();
  }
}
