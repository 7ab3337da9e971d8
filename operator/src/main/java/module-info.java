/** The operations for operators, and the socket that serves them. */
module dev.holdfast.operator {
  requires transitive dev.holdfast.spi;
  requires dev.holdfast.clone;
  requires jdk.net;
  requires static transitive org.jspecify;

  exports dev.holdfast.operator;
  exports dev.holdfast.operator.value;

  provides dev.holdfast.spi.inspect.OperatorProvider with
      dev.holdfast.operator.OperatorSockets;
}
