const status = document.getElementById('status');
if (status) status.textContent = 'Hello.';
