package dev.holdfast.spi.inspect;

import dev.holdfast.TimeSource;
import java.nio.file.Path;

/**
 * Serves operators in other processes. A runtime that needs it finds it with {@link
 * java.util.ServiceLoader} among the dependencies of the application.
 */
@FunctionalInterface
public interface OperatorProvider {

  /**
   * Begins to serve.
   *
   * @param data the data directory, whose lock the caller holds until after the close
   * @param opened what is served
   * @param time the clock
   * @return stops to serve when it is closed
   * @throws dev.holdfast.errors.DataDirectoryException if nothing can be served in the directory
   */
  AutoCloseable serve(Path data, InspectedRuntime opened, TimeSource time);
}
