package dev.holdfast.runtime.internal.gate;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Proves that there is stack left before the engine begins what must not end in the middle.
 *
 * <p>Object code may recurse until its stack is used up, and the error then strikes at the entry of
 * any method, the engine's own included: between a lock and its unlock, in the middle of a batch.
 * Here it strikes before anything has changed.
 *
 * <p>The proof is the entry of a method with {@value #VARIABLES} variables, which the interpreter
 * makes room for. A compiler keeps no variable that is not used, but a compiled method may have to
 * continue in the interpreter; so HotSpot checks at the entry of compiled code for the frames that
 * the interpreter would need, of inlined methods too, at each place where it could continue there.
 * The call on the path that is never taken is such a place. The method is generated, because no one
 * would write it. Inlined it costs one read of a field, less than a nanosecond. Stateless.
 */
public final class Headroom {

  /**
   * Of eight bytes each: 25 KiB. What follows is two dozen calls deep, or three where the Java
   * machine links something first.
   */
  private static final int VARIABLES = 3_200;

  /** Always zero; not a constant, which would remove the path that needs the room. */
  static int taken;

  private static final MethodHandle PROBE = probe();

  private Headroom() {}

  /**
   * Returns if there is stack for whatever the engine, the storage and the journal do in one piece.
   *
   * @throws StackOverflowError if not
   */
  public static void require() {
    try {
      PROBE.invokeExact();
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("The probe throws nothing.", e);
    }
  }

  private static MethodHandle probe() {
    ClassDesc own = ClassDesc.of(Headroom.class.getName() + "Probe");
    byte[] probe =
        ClassFile.of()
            .build(
                own,
                type ->
                    type.withMethodBody("enter", MTD_void, ClassFile.ACC_STATIC, Headroom::enter));
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup().defineHiddenClass(probe, true);
      return lookup.findStatic(lookup.lookupClass(), "enter", MethodType.methodType(void.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static void enter(CodeBuilder code) {
    Label taken = code.newLabel();
    code.getstatic(ClassDesc.of(Headroom.class.getName()), "taken", CD_int).ifne(taken);
    code.return_().labelBinding(taken);
    code.lconst_0().lstore(VARIABLES);
    // A call that no compiler inlines.
    code.invokestatic(ClassDesc.of(Thread.class.getName()), "yield", MTD_void);
    code.return_();
  }
}
