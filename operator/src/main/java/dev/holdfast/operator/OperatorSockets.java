package dev.holdfast.operator;

import dev.holdfast.TimeSource;
import dev.holdfast.spi.inspect.InspectedRuntime;
import dev.holdfast.spi.inspect.OperatorProvider;
import java.nio.file.Path;

/** The sockets of this module, for a runtime that finds them among its dependencies. */
public final class OperatorSockets implements OperatorProvider {

  /** For {@link java.util.ServiceLoader}. */
  public OperatorSockets() {}

  @Override
  public AutoCloseable serve(Path data, InspectedRuntime opened, TimeSource time) {
    return OperatorSocket.open(data, new Operations(opened), time);
  }
}
