package dev.holdfast.console;

import dev.holdfast.console.chart.Samples;
import dev.holdfast.console.page.Source;
import dev.holdfast.operator.OperatorService;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.time.Duration;
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
    this.console = new Console(source, options, System::currentTimeMillis, new SecureRandom());
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
