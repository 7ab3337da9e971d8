package dev.holdfast.console;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.console.chart.Samples;
import dev.holdfast.console.page.Source;
import dev.holdfast.operator.OperatedRuntime;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.spi.inspect.Inspectable;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The console as a servlet, for applications that have a container already. Map it to a path and
 * everything below it, such as {@code /console/*}.
 */
public final class ConsoleServlet extends HttpServlet {

  private static final long serialVersionUID = 1L;

  private static final Logger LOG = System.getLogger("dev.holdfast.console");

  /** How long a page waits for the runtime. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final transient Console console;
  private final transient Source source;
  private final transient CountDownLatch destroyed = new CountDownLatch(1);

  /**
   * Creates the servlet.
   *
   * @param runtime what is shown; opened by {@code Holdfast}
   * @param options its tokens or its login; the address does not matter
   * @throws IllegalArgumentException if the options have neither tokens nor a login, or the runtime
   *     is none of Holdfast
   */
  public ConsoleServlet(ObjectRuntime runtime, ConsoleOptions options) {
    this(operations(runtime), options);
  }

  /**
   * Creates the servlet.
   *
   * @param operations what is shown
   * @param options its tokens or its login; the address does not matter
   * @throws IllegalArgumentException if the options have neither tokens nor a login
   */
  public ConsoleServlet(OperatorService operations, ConsoleOptions options) {
    if (options.tokens().isEmpty() && options.login() == null) {
      throw new IllegalArgumentException(
          "Nobody could enter the console: add ConsoleOptions.withToken or withLogin");
    }
    this.source = new Source(operations, PATIENCE);
    this.console = new Console(source, options, InstantSource.system(), new SecureRandom());
    Thread.ofVirtual().name("holdfast-console-samples").start(this::sample);
  }

  private void sample() {
    try {
      do {
        try {
          console.samples().take();
        } catch (RuntimeException e) {
          LOG.log(Level.WARNING, "console-sample-failed", e); // the next one may not
        }
      } while (!destroyed.await(Samples.PERIOD_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** {@return the operations on a runtime} */
  static OperatorService operations(ObjectRuntime runtime) {
    if (runtime instanceof OperatedRuntime node) {
      return node.operations();
    }
    if (!(runtime instanceof Inspectable inspectable)) {
      throw new IllegalArgumentException(
          "The console shows runtimes that Holdfast opens, not " + runtime.getClass().getName());
    }
    return new Operations(inspectable.inspected());
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    console.answer(request, response);
  }

  @Override
  public void destroy() {
    destroyed.countDown();
    source.close();
  }
}
