package dev.holdfast.system.mistakes;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Map;

/**
 * An interface as Kotlin's compiler makes it of {@code interface Cart { suspend fun total(): Long
 * }}.
 */
final class SuspendFunction {

  private static final ClassDesc CONTINUATION = ClassDesc.of("kotlin.coroutines.Continuation");
  private static final ClassDesc CART = ClassDesc.of("shop.Cart");

  private SuspendFunction() {}

  static Class<?> type() {
    int type = ClassFile.ACC_PUBLIC | ClassFile.ACC_INTERFACE | ClassFile.ACC_ABSTRACT;
    int method = ClassFile.ACC_PUBLIC | ClassFile.ACC_ABSTRACT;
    byte[] continuation = ClassFile.of().build(CONTINUATION, made -> made.withFlags(type));
    byte[] cart =
        ClassFile.of()
            .build(
                CART,
                made ->
                    made.withFlags(type)
                        .withMethod(
                            "total",
                            MethodTypeDesc.of(ConstantDescs.CD_Object, CONTINUATION),
                            method,
                            _ -> {}));
    Map<String, byte[]> classes =
        Map.of("kotlin.coroutines.Continuation", continuation, "shop.Cart", cart);
    try {
      return new ClassLoader(SuspendFunction.class.getClassLoader()) {
        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
          byte[] found = classes.get(name);
          if (found == null) {
            throw new ClassNotFoundException(name);
          }
          return defineClass(name, found, 0, found.length);
        }
      }.loadClass("shop.Cart");
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
