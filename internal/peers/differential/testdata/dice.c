/* Preloaded into teeworlds-server, this draws its random numbers: those that our worlds
   draw from the seed DICE_SEED, beginning with number 4096. The file DICE_LAST always has
   the last one. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long long state;
static unsigned number;
static int last, second;

static void draw(void)
{
	unsigned long long z = state += 0x9e3779b97f4a7c15ULL;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	number = (z ^ (z >> 31)) >> 33;
}

static void save(void)
{
	if(pwrite(last, &number, sizeof number, 0) != sizeof number)
		abort();
}

__attribute__((constructor)) static void begin(void)
{
	int i;
	state = strtoull(getenv("DICE_SEED"), 0, 10);
	last = open(getenv("DICE_LAST"), O_WRONLY | O_CREAT, 0600);
	for(i = 0; i < 4096; i++)
		draw();
	save();
}

/* The server makes a number of two calls: the upper bits, then the lower 16. */
int rand(void)
{
	if((second = !second))
	{
		draw();
		save();
		return number >> 16;
	}
	return number & 0xffff;
}
