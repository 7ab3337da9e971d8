package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cluster.errors.RemoteObjectException;
import dev.holdfast.errors.UncopyableValueException;
import java.io.Serial;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every call of another node is answered, whatever is thrown: node a calls, node b answers. */
@Timeout(120)
class AnsweredCallsTest {

  /** Has values and failures that break what handles them. */
  public interface Shop {

    /** Takes a value. */
    void put(Brittle value);

    /** Returns a value. */
    Brittle get();

    /** Fails. */
    void fail();
  }

  private static final class ShopObject implements Shop {

    @Override
    public void put(Brittle value) {
      throw new AssertionError("it was read");
    }

    @Override
    public Brittle get() {
      return new Brittle("value");
    }

    @Override
    public void fail() {
      throw new BrittleException();
    }
  }

  /**
   * A value that the owner can neither read nor write.
   *
   * @param text any
   */
  public record Brittle(String text) {

    /** Fails where the owner reads it. */
    public Brittle {
      breakIn("readArguments");
    }

    @Override
    public String text() {
      breakIn("writeResult");
      return text;
    }

    private static void breakIn(String method) {
      if (StackWalker.getInstance()
          .walk(frames -> frames.anyMatch(each -> each.getMethodName().equals(method)))) {
        throw new InternalError("broken in " + method);
      }
    }
  }

  private static final class BrittleException extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new StackOverflowError();
    }

    @Override
    public synchronized @Nullable Throwable getCause() {
      throw new IllegalStateException();
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new InternalError();
    }
  }

  @TempDir private static Path directory;
  private static ThreeNodes nodes;

  @BeforeAll
  static void open() throws Exception {
    nodes =
        ThreeNodes.open(
            directory, 1, objects -> objects.namespace("shops", Shop.class, _ -> new ShopObject()));
    nodes.move(0, "b");
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  private static Shop shop() {
    return nodes.get("a").namespace("shops", Shop.class).getByName("corner");
  }

  @Test
  void failureThatCannotBeDescribedIsAnAnswer() {
    assertThatThrownBy(() -> shop().fail())
        .isInstanceOfSatisfying(
            RemoteObjectException.class,
            e -> assertThat(e.className()).isEqualTo(BrittleException.class.getName()))
        .hasMessageContaining("getMessage() has failed: java.lang.StackOverflowError");
  }

  @Test
  void resultThatBreaksItsWriterIsAnAnswer() {
    assertThatThrownBy(() -> shop().get()).hasMessageContaining("broken in writeResult");
  }

  @Test
  void argumentThatBreaksItsReaderIsRefused() {
    assertThatThrownBy(() -> shop().put(new Brittle("value")))
        .isInstanceOf(UncopyableValueException.class)
        .hasMessageContaining("broken in readArguments");
  }
}
