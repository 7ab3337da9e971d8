import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** First puts of new objects: 2,000 in a fresh process, 20,000, then rounds. */
public class NewObjects {
  public interface M {
    void put(String k, byte[] v);
  }

  static final class O implements M {
    final ObjectContext c;

    O(ObjectContext c) {
      this.c = c;
    }

    public void put(String k, byte[] v) {
      c.storage().put(k, v);
    }
  }

  public static void main(String[] a) throws Exception {
    int rounds = Integer.parseInt(a[0]);
    int each = Integer.parseInt(a[1]);
    int callers = Integer.parseInt(a[2]);
    var dir = java.nio.file.Files.createTempDirectory("objects");
    var os =
        (com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean();
    try (ObjectRuntime r = Holdfast.open(dir, o -> o.namespace("m", M.class, O::new))) {
      byte[] v = new byte[100];
      AtomicInteger next = new AtomicInteger();
      for (int i = -1; i <= rounds; i++) {
        int count = i == -1 ? 2000 : i == 0 ? 20000 : each;
        List<Thread> ts = new ArrayList<>();
        AtomicInteger left = new AtomicInteger(count);
        long t0 = System.nanoTime(), c0 = os.getProcessCpuTime();
        for (int k = 0; k < callers; k++)
          ts.add(
              Thread.ofPlatform()
                  .start(
                      () -> {
                        while (left.getAndDecrement() > 0)
                          r.namespace("m", M.class)
                              .getByName("p" + next.incrementAndGet())
                              .put("k", v);
                      }));
        for (Thread t : ts) t.join();
        double s = (System.nanoTime() - t0) / 1e9;
        System.out.printf(
            "%d objects: %.0f/s cpu %.1f us%n",
            count, count / s, (os.getProcessCpuTime() - c0) / 1e3 / count);
      }
    }
    System.exit(0);
  }
}
