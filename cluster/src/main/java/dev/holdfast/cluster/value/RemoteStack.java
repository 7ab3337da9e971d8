package dev.holdfast.cluster.value;

import dev.holdfast.spi.log.NodeId;
import java.io.Serial;

/** The stack that an exception had on another node, for logs: suppressed by what is thrown here. */
final class RemoteStack extends Exception {

  @Serial private static final long serialVersionUID = 1L;

  RemoteStack(NodeId node, String className, String stack) {
    super(
        "Stack of " + className + " on node " + node + ":\n" + stack,
        null,
        /* enableSuppression= */ false,
        /* writableStackTrace= */ false);
  }
}
