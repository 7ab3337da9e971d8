// A page as an application of this kind has it: it lists, adds and searches.
async function run() {
  const posts = await (await fetch('/posts')).json();
  for (const post of posts) {
    const item = document.createElement('li');
    item.textContent = post.title;
    document.getElementById('posts').append(item);
  }
  const added = await fetch('/posts', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: "O'Neil & Söhne", text: 'x'.repeat(90000) }),
  });
  const stored = await (await fetch('/posts/' + (await added.json()).id)).json();
  const attack = await fetch('/posts?q=' + encodeURIComponent('<script>alert(1)</script>'));
  return JSON.stringify([
    document.querySelectorAll('li').length >= 2,
    stored.title === "O'Neil & Söhne" && stored.text.length === 90000,
    attack.status === 403,
  ]);
}

window.site = run();
