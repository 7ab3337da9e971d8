package dev.holdfast.cluster.value;

import dev.holdfast.BookmarkException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.ObjectException;
import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.SqlException;
import dev.holdfast.alarm.AbandonAlarmException;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.RemoteObjectException;
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
import dev.holdfast.operator.OperatorException;
import dev.holdfast.spi.log.OwnershipLostException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The classes of exceptions that are made again from their name, message, details and cause: those
 * of Holdfast, and of the JDK, by this list, others by their constructors. Stateless.
 */
final class FailureClasses {

  /** What an exception is made from. */
  private record Parts(@Nullable String message, List<String> details, @Nullable Throwable cause) {

    String text() {
      return message == null ? "" : message;
    }

    String detail(int index) {
      return details.get(index);
    }

    /** The object of an {@link ObjectException}, which are its first details. */
    String namespace() {
      return detail(0);
    }

    ObjectId id() {
      String name = detail(2);
      return ObjectId.of(
          HexFormat.of().parseHex(detail(1)), name.isEmpty() ? null : name.substring(1));
    }
  }

  /** How many details describe the object of an {@link ObjectException}. */
  private static final int OBJECT_DETAILS = 3;

  private record Shape(
      Function<Throwable, List<String>> details, Function<Parts, Throwable> maker) {}

  private static final Map<String, Shape> SHAPES = new HashMap<>();

  private FailureClasses() {}

  /** What the class of an exception has beside its message and cause. */
  static List<String> detailsOf(Throwable failure) {
    Shape shape = SHAPES.get(failure.getClass().getName());
    return shape == null
        ? ThrowableClass.of(failure.getClass()).details(failure)
        : shape.details().apply(failure);
  }

  /**
   * Makes an exception; null if its class is not known here, or the details are not its own.
   *
   * @param loader of the interface that was called
   */
  static @Nullable Throwable make(
      String className,
      @Nullable String message,
      List<String> details,
      @Nullable Throwable cause,
      @Nullable ClassLoader loader) {
    Shape shape = SHAPES.get(className);
    if (shape == null) {
      ThrowableClass other = ThrowableClass.find(className, loader);
      return other == null ? null : other.make(message, details, cause);
    }
    try {
      Throwable made = shape.maker().apply(new Parts(message, details, cause));
      if (cause != null && made.getCause() == null) {
        made.initCause(cause);
      }
      return made;
    } catch (IllegalArgumentException
        | IllegalStateException
        | IndexOutOfBoundsException
        | DateTimeException e) {
      // Of another version, or malformed: it becomes a RemoteObjectException.
      return null;
    }
  }

  private static void add(Class<?> type, Function<Parts, Throwable> maker) {
    SHAPES.put(type.getName(), new Shape(failure -> List.of(), maker));
  }

  private static void plain(Class<?> type, Function<@Nullable String, Throwable> constructor) {
    add(type, parts -> constructor.apply(parts.message()));
  }

  private static <T extends Throwable> void detailed(
      Class<T> type, Function<T, List<String>> details, Function<Parts, Throwable> maker) {
    SHAPES.put(type.getName(), new Shape(failure -> details.apply(type.cast(failure)), maker));
  }

  private static <T extends ObjectException> void ofObject(
      Class<T> type, Function<T, List<String>> more, Function<Parts, Throwable> maker) {
    detailed(
        type,
        failure -> {
          List<String> details = new ArrayList<>();
          details.add(failure.namespace());
          details.add(failure.objectId());
          // Names may be empty: a mark before it says that there is one.
          details.add(failure.objectName().map(name -> "=" + name).orElse(""));
          details.addAll(more.apply(failure));
          return details;
        },
        maker);
  }

  private static <T extends ObjectException> void ofObject(
      Class<T> type, Function<Parts, Throwable> maker) {
    ofObject(type, failure -> List.of(), maker);
  }

  static {
    addJdk();
    addPlainHoldfast();
    addOfObject();
  }

  private static void addJdk() {
    plain(ArithmeticException.class, ArithmeticException::new);
    plain(ArrayIndexOutOfBoundsException.class, ArrayIndexOutOfBoundsException::new);
    plain(ArrayStoreException.class, ArrayStoreException::new);
    add(AssertionError.class, parts -> new AssertionError(parts.message(), parts.cause()));
    plain(CancellationException.class, CancellationException::new);
    plain(ClassCastException.class, ClassCastException::new);
    plain(CloneNotSupportedException.class, CloneNotSupportedException::new);
    add(
        CompletionException.class,
        parts -> new CompletionException(parts.message(), parts.cause()));
    plain(ConcurrentModificationException.class, ConcurrentModificationException::new);
    plain(DateTimeException.class, DateTimeException::new);
    plain(Error.class, Error::new);
    plain(Exception.class, Exception::new);
    plain(IOException.class, IOException::new);
    plain(IllegalArgumentException.class, IllegalArgumentException::new);
    plain(IllegalStateException.class, IllegalStateException::new);
    plain(IndexOutOfBoundsException.class, IndexOutOfBoundsException::new);
    plain(InterruptedException.class, InterruptedException::new);
    plain(NegativeArraySizeException.class, NegativeArraySizeException::new);
    plain(NoSuchElementException.class, NoSuchElementException::new);
    plain(NullPointerException.class, NullPointerException::new);
    plain(NumberFormatException.class, NumberFormatException::new);
    plain(OutOfMemoryError.class, OutOfMemoryError::new);
    plain(RuntimeException.class, RuntimeException::new);
    plain(SecurityException.class, SecurityException::new);
    plain(StackOverflowError.class, StackOverflowError::new);
    plain(StringIndexOutOfBoundsException.class, StringIndexOutOfBoundsException::new);
    plain(TimeoutException.class, TimeoutException::new);
    add(
        UncheckedIOException.class,
        parts ->
            new UncheckedIOException(
                parts.message(),
                parts.cause() instanceof IOException io ? io : new IOException(parts.cause())));
    plain(UnsupportedOperationException.class, UnsupportedOperationException::new);
  }

  private static void addPlainHoldfast() {
    add(AbandonAlarmException.class, p -> new AbandonAlarmException(p.text(), p.cause()));
    add(ArchiveException.class, p -> new ArchiveException(p.text(), p.cause()));
    detailed(
        ClusterException.class,
        e -> List.of(e.reason().name()),
        p ->
            new ClusterException(
                ClusterException.Reason.valueOf(p.detail(0)), p.text(), p.cause()));
    detailed(
        ConsumerException.class,
        e -> List.of(e.reason().name(), e.topic(), e.consumer()),
        p ->
            new ConsumerException(
                ConsumerException.Reason.valueOf(p.detail(0)), p.detail(1), p.detail(2), p.text()));
    detailed(
        HeadersException.class,
        e -> List.of(e.reason().name()),
        p -> new HeadersException(HeadersException.Reason.valueOf(p.detail(0)), p.text()));
    add(InvalidObjectIdException.class, p -> new InvalidObjectIdException(p.text()));
    add(JournalFailedException.class, p -> new JournalFailedException(p.text(), p.cause()));
    detailed(
        NamespaceException.class,
        e -> List.of(e.namespace()),
        p -> new NamespaceException(p.detail(0), p.text()));
    detailed(
        OperatorException.class,
        e -> List.of(e.reason().name()),
        p ->
            new OperatorException(
                OperatorException.Reason.valueOf(p.detail(0)), p.text(), p.cause()));
    add(OwnershipLostException.class, p -> new OwnershipLostException(p.text()));
    add(RuntimeClosedException.class, p -> new RuntimeClosedException());
  }

  private static void addOfObject() {
    ofObject(AlarmException.class, p -> new AlarmException(p.namespace(), p.id(), p.text()));
    ofObject(
        BookmarkException.class,
        e -> List.of(e.reason().name()),
        p ->
            new BookmarkException(
                p.namespace(),
                p.id(),
                BookmarkException.Reason.valueOf(p.detail(OBJECT_DETAILS)),
                p.text()));
    ofObject(
        CallInterruptedException.class,
        p -> new CallInterruptedException(p.namespace(), p.id(), p.text()));
    ofObject(
        CommitRefusedException.class,
        p -> new CommitRefusedException(p.namespace(), p.id(), p.text(), p.cause()));
    ofObject(
        InstanceResetException.class,
        e -> List.of(e.writeOutcome().name()),
        p ->
            new InstanceResetException(
                p.namespace(),
                p.id(),
                p.text(),
                WriteOutcome.valueOf(p.detail(OBJECT_DETAILS)),
                p.cause()));
    ofObject(
        MisuseException.class,
        e -> List.of(e.reason().name()),
        p ->
            new MisuseException(
                p.namespace(),
                p.id(),
                MisuseException.Reason.valueOf(p.detail(OBJECT_DETAILS)),
                p.text()));
    ofObject(
        ObjectCallTimeoutException.class,
        e -> List.of(e.timeout().toString(), String.valueOf(e.delivered())),
        p ->
            new ObjectCallTimeoutException(
                p.namespace(),
                p.id(),
                Duration.parse(p.detail(OBJECT_DETAILS)),
                Boolean.parseBoolean(p.detail(OBJECT_DETAILS + 1))));
    ofObject(
        ObjectFileException.class,
        e -> List.of(e.file()),
        p -> {
          String file = p.detail(OBJECT_DETAILS);
          String text = p.text();
          return new ObjectFileException(
              p.namespace(),
              p.id(),
              Path.of(file),
              text.startsWith(file + " ") ? text.substring(file.length() + 1) : text,
              p.cause());
        });
    ofObject(
        ObjectOverloadedException.class,
        e -> List.of(String.valueOf(e.waitingCount())),
        p ->
            new ObjectOverloadedException(
                p.namespace(), p.id(), Integer.parseInt(p.detail(OBJECT_DETAILS))));
    ofObject(
        ObjectUnavailableException.class,
        e -> List.of(e.delivery().name()),
        p ->
            new ObjectUnavailableException(
                p.namespace(),
                p.id(),
                ObjectUnavailableException.Delivery.valueOf(p.detail(OBJECT_DETAILS)),
                p.text(),
                p.cause()));
    ofObject(
        RemoteObjectException.class,
        e -> List.of(e.className()),
        p -> {
          String className = p.detail(OBJECT_DETAILS);
          String prefix = className + ": ";
          return new RemoteObjectException(
              p.namespace(),
              p.id(),
              className,
              p.text().startsWith(prefix) ? p.text().substring(prefix.length()) : null,
              p.cause());
        });
    ofObject(
        SqlException.class,
        e -> List.of(String.valueOf(e.resultCode())),
        p ->
            new SqlException(
                p.namespace(),
                p.id(),
                p.text(),
                Integer.parseInt(p.detail(OBJECT_DETAILS)),
                p.cause()));
    ofObject(
        StorageFailedException.class,
        p -> new StorageFailedException(p.namespace(), p.id(), p.text(), p.cause()));
    ofObject(
        StorageLimitException.class,
        p -> new StorageLimitException(p.namespace(), p.id(), p.text()));
    ofObject(
        UncopyableValueException.class,
        p -> new UncopyableValueException(p.namespace(), p.id(), p.text(), p.cause()));
  }
}
